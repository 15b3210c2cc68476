# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# FetchAdd and CmpSwap, plain and (if the device supports them) masked, give the right results. With
# masked atomics, the test runs every row of the test vectors, and compares random operations with
# the bit loop of RFC 7306. It also checks sums of additions over several connections. Invalid
# requests are refused. [X-DISC-007] [X-ATOM-001] [X-ATOM-053] [X-ORD-002] [I-ATOM-001] [I-ATOM-004]
# topology: one netns pair
# kernels: all
# timeout: 300
# shellcheck shell=bash

xt_up
xt_pair
xt_listen
xt_join
xt a devinfo "dev=$RD_A"
[ "${XT[atomic]}" != NONE ] || skip "atomics"
masked=''
[ "${XT[masked_atomic]}" = NONE ] || masked=1
[ "$(xt_type)" != xiw ] || equal "masked atomics of xiw" 1 "$masked"

# word VALUE: sets the word at the start of b's buffer; word_is VALUE: checks this word
word() { xt b poke buf=m "val=$1"; }
word_is() { xt b peek buf=m; xt_is val "$1"; }

# atomic RESULT KEY=VALUE...: runs an atomic that must return RESULT, the original value
atomic()
{
	xt_wc SUCCESS a wr "${@:2}"
	xt_is result "$1"
	xt_is byte_len 8
}

say "values"
word 0xfffffffffffffffe
atomic 0xfffffffffffffffe op=fetchadd add=1
xt_is op FETCH_ADD
atomic 0xffffffffffffffff op=fetchadd add=1		# the carry is lost
word_is 0x0000000000000000
atomic 0x0000000000000000 op=fetchadd add=-1
word_is 0xffffffffffffffff
xt a probe
xt_is atomics yes
xt_is result 0xffffffffffffffff
word_is 0xffffffffffffffff
word 0x0123456789abcdef
atomic 0x0123456789abcdef op=cmpswp cmp=0x0123456789abcdef swap=0x1122334455667788
xt_is op COMP_SWAP
word_is 0x1122334455667788
atomic 0x1122334455667788 op=cmpswp cmp=0x0123456789abcdef swap=0
word_is 0x1122334455667788

if [ "$masked" ]; then
	word 0x00000000ffffffff
	atomic 0x00000000ffffffff op=mfetchadd add=0x0000000100000001 mask=0x0000000080000000
	word_is 0x0000000100000000		# two 32-bit counters without a carry between them
	word 0xffffffffffffffff
	atomic 0xffffffffffffffff op=mfetchadd add=0x0101010101010101 mask=0x8080808080808080
	word_is 0x0000000000000000
	word 0x0123456789abcdef
	atomic 0x0123456789abcdef op=mfetchadd add=-1 mask=-1	# exclusive or: each bit is a field
	word_is 0xfedcba9876543210
	word 0x1111222233334444
	atomic 0x1111222233334444 op=mcmpswp cmp=0x00002222ffffffff cmask=0x0000ffff00000000 \
		swap=0xaaaabbbbccccdddd smask=0xffff00000000ffff
	word_is 0xaaaa22223333dddd
	atomic 0xaaaa22223333dddd op=mcmpswp cmp=0 cmask=1 swap=0 smask=-1
	word_is 0xaaaa22223333dddd
	atomic 0xaaaa22223333dddd op=mcmpswp cmp=7 cmask=0 swap=0 smask=0xff
	word_is 0xaaaa22223333dd00

	# [X-ATOM-008] [X-ATOM-009] [X-ATOM-010] [X-ATOM-011] [X-ATOM-012] [X-ATOM-013]
	# [X-ATOM-020] [X-ATOM-021] [X-ATOM-022] [X-ATOM-023] [X-ATOM-024] [X-ATOM-025]
	# [X-ATOM-046] [X-ATOM-050]
	rows=0
	while read -r id op original data mask cmp cmask new returned; do
		[[ $id == [FC][AS]-* ]] || continue
		word "$original"
		case $op in
		FetchAdd) xt_wc SUCCESS a wr op=mfetchadd "add=$data" "mask=$mask" ;;
		*) xt_wc SUCCESS a wr op=mcmpswp "swap=$data" "smask=$mask" "cmp=$cmp" \
			"cmask=$cmask" ;;
		esac
		equal "$id returns" "$returned" "${XT[result]}"
		xt b peek buf=m
		equal "$id leaves" "$new" "${XT[val]}"
		rows=$((rows + 1))
	done </lab/in/vectors/atomic.tsv
	equal "rows of the vectors" 52 "$rows"

	# [X-ATOM-003] [X-ATOM-042] [X-ATOM-043] [X-ATOM-044]
	count=${XIW_TEST_COUNT:-100000} seed=${XIW_TEST_SEED:-$SRANDOM}
	for ord in ${ATOMIC_ORDS:-128}; do
		say "$count random ones, ORD $ord, XIW_TEST_SEED=$seed"
		xt a connect "addr=$IP_B" "port=$XT_PORT" sq=128 "ord=$ord"
		word 0
		start=$(now_ms)
		xt a run op=atomic buf=m off=4M qd=128 "count=$count" "seed=$seed" verify=1
		say "$(($(now_ms) - start)) ms: ${XT[0]}"
		xt_is count "$count"
		word_is "${XT[word]}"
		xt a close
		seed=$((seed + 1))
	done
else
	say "no masked atomics here: EINVAL or EOPNOTSUPP"
	for op in mfetchadd mcmpswp; do
		! xt_try a wr op=$op add=1 || fail "$op went through: ${XT[0]}"
	done
fi

word 5
xt a run "ep=$EP_A" op=fetchadd buf=m off=4M qd=16 count=500 verify=1 init=5 add=0x100000001
word_is "${XT[word]}"
word 0
xt a run "ep=$EP_A" op=cmpswp buf=m off=4M qd=16 count=500 verify=1 seed=$RANDOM
word_is "${XT[word]}"

say "one word, eight connections"
word 0
xt a connect "addr=$IP_B" "port=$XT_PORT" n=8
first=${XT[ep]}
xt a run "ep=$first-$((first + 7))" op=fetchadd buf=m off=4M qd=8 count=200 add=3
xt_is count 1600
word_is "$(printf '0x%016x' 4800)"

# Skip this part if the RNIC uses bounce buffers, because the CPU cannot change a word in a bounce
# buffer. Also skip this part on a machine with a single CPU. There, Linux and QEMU omit the LOCK
# prefix of atomic instructions, so the additions of the CPU would not be atomic for a PCIe RNIC.
if [ "$(xt_type)" != rxe ] && ! bounces && [ "$(nproc)" -gt 1 ]; then
	say "and the CPU of b as well"
	xt b devinfo "dev=$RD_B"
	xt_is atomic GLOB
	word 0
	xt b cpuadd buf=m do=start
	xt a run "ep=$first-$((first + 7))" op=fetchadd buf=m off=4M qd=8 count=500 add=1
	xt b cpuadd buf=m do=stop
	# cpuadd does its first 64 additions before the run. More additions show that the CPU has
	# also changed the word during the run.
	[ "${XT[count]}" -gt 64 ] || fail "the CPU did not get its turn"
	word_is "$(printf '0x%016x' $((4000 + XT[count])))"
fi
xt a close "ep=$first-$((first + 7))"

# hostile STATUS CODE KEY=VALUE...: checks that side b refuses an atomic with KEY=VALUE, that the
# memory of side b does not change, and that the next work request is flushed without being
# executed. STATUS: status of the completion. CODE: layer, type and code of the Terminate
hostile()
{
	xt b fill buf=m off=2M len=64K byte=170
	word 0
	xt_wc SUCCESS a wr "ep=$EP_A" op=fetchadd add=1
	xt a post "ep=$EP_A" op=fetchadd add=1 cmp=0xaaaaaaaaaaaaaaaa swap=1 "${@:3}" more=1
	xt a post "ep=$EP_A" op=fetchadd add=1
	xt_wc "$1" a wc "ep=$EP_A"
	[ "$(xt_type)" != xiw ] || xt_is vendor_err "$2"
	xt_wc WR_FLUSH_ERR a wc "ep=$EP_A"
	xt b check buf=m off=2M len=64K byte=170
	word_is 0x0000000000000001
	xt_ended
	if [ "$(xt_type)" = xiw ]; then
		for side in a b; do
			local -n ep=EP_${side^^}
			xt $side query "ep=$ep"
			case $1 in
			REM_ACCESS_ERR) xt_is qp_events QP_ACCESS_ERR ;;
			*) xt_is qp_events QP_FATAL ;;
			esac
		done
	fi
	xt_try b dereg name=r || xt_is errno ENOENT
	xt_rejoin
}

# region KEY=VALUE...: registers 64 KiB of side b as the MR r, with the options KEY=VALUE; sets RKEY
# and ADDR, by which side a accesses the MR
region() # KEY=VALUE...
{
	xt b reg "ep=$EP_B" name=r buf=m off=2M len=64K "$@"
	RKEY=${XT[rkey]} ADDR=${XT[addr]}
}

# foreign: sets RKEY and ADDR to a key and an address of another protection domain of side b
foreign()
{
	xt a connect "addr=$IP_B" port=7307
	RKEY=${XT[rkey]} ADDR=${XT[raddr]}
}
xt b listen "addr=$IP_B" port=7307 export=m export_len=64K pd=1

# [X-SEC-001]
say "what has to be refused"
ops=(fetchadd cmpswp)
[ -z "$masked" ] || ops+=(mfetchadd mcmpswp)
i=0
for op in "${ops[@]}"; do
	# [X-ATOM-017] [X-ATOM-018] [X-ATOM-019] [X-ATOM-027] [X-ATOM-028] [X-ATOM-029]
	# [X-ATOM-030] [X-ERR-009] [X-ERR-010]
	for off in 4 $((1 + 2 * i++)); do
		region
		if [ "$(xt_type)" = rxe ]; then
			# rxe checks the address on side a, before it sends the request. So the post
			# fails.
			xt_err EINVAL a wr op=$op "rkey=$RKEY" "raddr=$((ADDR + off))"
			xt b dereg name=r
		else
			# A misaligned address causes the Terminate 0/2/0x07 (RFC 7306 section 8).
			hostile REM_OP_ERR 0x207 op=$op "rkey=$RKEY" "raddr=$((ADDR + off))"
		fi
	done
	# [I-ATOM-020]
	region access=lw,rw,rr
	hostile REM_ACCESS_ERR 0x102 op=$op "rkey=$RKEY" "raddr=$ADDR"
done
region
hostile REM_ACCESS_ERR 0x101 "rkey=$RKEY" "raddr=$((ADDR + 65536))"
region
hostile REM_ACCESS_ERR 0x101 "rkey=$RKEY" "raddr=$((ADDR - 8))"
if [ "$(xt_type)" != rxe ]; then
	region len=65532
	hostile REM_ACCESS_ERR 0x101 "rkey=$RKEY" "raddr=$((ADDR + 65528))"
	region
	hostile REM_ACCESS_ERR 0x104 "rkey=$RKEY" raddr=0xfffffffffffffffc
fi
region
hostile REM_ACCESS_ERR 0x100 "rkey=$((RKEY ^ 1))" "raddr=$ADDR"
region bind=0
hostile REM_ACCESS_ERR 0x100 "rkey=$RKEY" "raddr=$ADDR"
foreign
hostile REM_ACCESS_ERR 0x103 "rkey=$RKEY" "raddr=$ADDR"
region
xt_wc SUCCESS b wr "ep=$EP_B" op=local_inv "inv=$RKEY"
hostile REM_ACCESS_ERR 0x100 "rkey=$RKEY" "raddr=$ADDR"
region
xt b recv "ep=$EP_B" len=0
xt_wc SUCCESS a wr "ep=$EP_A" op=send_inv "inv=$RKEY"
xt_wc SUCCESS b wc "ep=$EP_B"
hostile REM_ACCESS_ERR 0x100 "rkey=$RKEY" "raddr=$ADDR"

say "an atomic needs eight octets to put the original value in"
for len in 0 4 16; do
	if xt_try a wr op=fetchadd add=1 "len=$len"; then
		[ "${XT[wc]}" != SUCCESS ] || [ "$len" = 16 ] || fail "len=$len: ${XT[0]}"
		xt a query "ep=$EP_A"
		[ "${XT[state]}" = ready ] || xt_rejoin
	fi
done

if [ "$(xt_type)" = xiw ]; then
	say "an end that has no atomics, and a key that is none"
	expect "none on b" on_b xiw config set "$RD_B" atomics=off
	xt_rejoin
	xt a probe
	xt_is atomics no
	xt_ended
	expect "atomics on b" on_b xiw config set "$RD_B" atomics=on
	xt_rejoin
	xt a probe rkey=0x77777700
	xt_is atomics unknown
	xt_ended
	xt_rejoin
	xt a probe
	xt_is atomics yes
fi

xt a close ep=all
xt b close ep=all
xt_clean a
xt_clean b
