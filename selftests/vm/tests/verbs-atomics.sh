# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# FetchAdd and CmpSwap, plain and masked: results against the bit loop of
# RFC 7306, sums over several connections, and what has to be refused.
# topology: one netns pair
# kernels: all
# timeout: 240
# shellcheck shell=bash

xt_up
xt_pair
xt_listen
xt_join
xt a devinfo "dev=$RD_A"
[ "${XT[atomic]}" != NONE ] || skip "atomics"
masked=''
[ "${XT[masked_atomic]}" = NONE ] || masked=1

# word VALUE: what b holds at the start of its region
word() { xt b poke buf=m "val=$1"; }
word_is() { xt b peek buf=m; xt_is val "$1"; }

# atomic RESULT KEY=VALUE...: returns the original value
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
atomic 0xffffffffffffffff op=fetchadd add=1		# the carry out is lost
word_is 0x0000000000000000
atomic 0x0000000000000000 op=fetchadd add=-1
word_is 0xffffffffffffffff
atomic 0xffffffffffffffff op=fetchadd add=0		# the sanctioned probe
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
	word_is 0x0000000100000000		# two 32-bit counters, no carry between
	word 0xffffffffffffffff
	atomic 0xffffffffffffffff op=mfetchadd add=0x0101010101010101 mask=0x8080808080808080
	word_is 0x0000000000000000
	word 0x0123456789abcdef
	atomic 0x0123456789abcdef op=mfetchadd add=-1 mask=-1	# every bit a field: xor
	word_is 0xfedcba9876543210
	word 0x1111222233334444
	atomic 0x1111222233334444 op=mcmpswp cmp=0x00002222ffffffff cmask=0x0000ffff00000000 \
		swap=0xaaaabbbbccccdddd smask=0xffff00000000ffff
	word_is 0xaaaa22223333dddd
	atomic 0xaaaa22223333dddd op=mcmpswp cmp=0 cmask=1 swap=0 smask=-1
	word_is 0xaaaa22223333dddd
	atomic 0xaaaa22223333dddd op=mcmpswp cmp=7 cmask=0 swap=0 smask=0xff
	word_is 0xaaaa22223333dd00
	word 0
	xt a run "ep=$EP_A" op=atomic buf=m off=4M qd=16 count=3000 verify=1 seed=$RANDOM
	word_is "${XT[word]}"
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

if [ "$(xt_type)" != rxe ]; then
	say "and the CPU of b as well"
	xt b devinfo "dev=$RD_B"
	xt_is atomic GLOB
	word 0
	xt b cpuadd buf=m do=start
	xt a run "ep=$first-$((first + 7))" op=fetchadd buf=m off=4M qd=8 count=500 add=1
	xt b cpuadd buf=m do=stop
	# its first 64 are in front of the run
	[ "${XT[count]}" -gt 64 ] || fail "the CPU did not get its turn"
	word_is "$(printf '0x%016x' $((4000 + XT[count])))"
fi
xt a close "ep=$first-$((first + 7))"

# hostile STATUS KEY=VALUE...: refused, b's memory as it was
hostile()
{
	xt b fill buf=m off=2M len=64K byte=170
	xt b poke buf=m val=0
	xt_wc "$1" a wr "ep=$EP_A" op=fetchadd add=1 "${@:2}"
	xt b check buf=m off=2M len=64K byte=170
	word_is 0x0000000000000000
	xt_ended
	xt_try b dereg name=r || xt_is errno ENOENT
	xt_rejoin
}

region() # KEY=VALUE...
{
	xt b reg "ep=$EP_B" name=r buf=m off=2M len=64K "$@"
	RKEY=${XT[rkey]} ADDR=${XT[addr]}
}

# foreign: RKEY and ADDR are of another protection domain of b
foreign()
{
	xt a connect "addr=$IP_B" port=7307
	RKEY=${XT[rkey]} ADDR=${XT[raddr]}
}
xt b listen "addr=$IP_B" port=7307 export=m export_len=64K pd=1

say "what has to be refused"
for off in 1 4 7; do
	region
	if [ "$(xt_type)" = rxe ]; then
		# it looks at the address before it sends anything
		xt_err EINVAL a wr op=fetchadd add=1 "rkey=$RKEY" "raddr=$((ADDR + off))"
		xt b dereg name=r
	else
		# RFC 7306 section 8: 0/2/0x07, an operation error of the remote side
		hostile REM_OP_ERR "rkey=$RKEY" "raddr=$((ADDR + off))"
	fi
done
region
hostile REM_ACCESS_ERR "rkey=$RKEY" "raddr=$((ADDR + 65536))"
region
hostile REM_ACCESS_ERR "rkey=$RKEY" "raddr=$((ADDR - 8))"
region
hostile REM_ACCESS_ERR "rkey=$((RKEY ^ 1))" "raddr=$ADDR"
region access=lw,rw,rr
hostile REM_ACCESS_ERR "rkey=$RKEY" "raddr=$ADDR"
foreign
hostile REM_ACCESS_ERR "rkey=$RKEY" "raddr=$ADDR"
region
xt_wc SUCCESS b wr "ep=$EP_B" op=local_inv "inv=$RKEY"
hostile REM_ACCESS_ERR "rkey=$RKEY" "raddr=$ADDR"

say "an atomic needs eight octets to put the original value in"
for len in 0 4 16; do
	if xt_try a wr op=fetchadd add=1 "len=$len"; then
		[ "${XT[wc]}" != SUCCESS ] || [ "$len" = 16 ] || fail "len=$len: ${XT[0]}"
		xt a query "ep=$EP_A"
		[ "${XT[state]}" = ready ] || xt_rejoin
	fi
done

xt a close ep=all
xt b close ep=all
xt_clean a
xt_clean b
