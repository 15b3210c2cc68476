# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Fast registration works, and so do three ways to invalidate the STag: a local invalidate, a Send
# with Invalidate of the peer, and a Read with Invalidate into the MR. An access that a key does not
# allow, or no longer allows, is refused and changes no memory. [R-GEN-012] [R-GEN-016] [R-SEC-005]
# [R-SEC-007] [D-SEC-005] [D-SEC-006] [R-SEC-006] [S-REM-001] [S-REM-006] [I-INV-011] [I-MSG-002]
# [R-SEC-009] [D-XFER-004]
# topology: one
# kernels: all
# timeout: 240
# shellcheck shell=bash

xt_up
xt_pair
xt_listen
xt_join

# region KEY=VALUE...: registers 64 KiB of side b as the MR r, with the options KEY=VALUE; sets RKEY
# and ADDR, by which side a accesses the MR
region() # KEY=VALUE...
{
	xt b reg "ep=$EP_B" name=r buf=m off=2M len=64K "$@"
	RKEY=${XT[rkey]} ADDR=${XT[addr]}
}

say "page offset: by the list, and by the offset argument"
xt a fill buf=m len=40000 seed=3
xt b fill buf=m off=2M len=128K byte=170
region off=2100001 len=40000
xt_wc SUCCESS a wr op=write buf=m len=40000 "rkey=$RKEY" "raddr=$ADDR"
xt_wc SUCCESS a wr op=read buf=m off=4M len=40000 "rkey=$RKEY" "raddr=$ADDR"
xt a check buf=m off=4M len=40000 seed=3 pos=0
xt b check buf=m off=2100001 len=40000 seed=3 pos=0
xt b check buf=m off=2100000 len=1 byte=170
xt b check buf=m off=2140001 len=64 byte=170
xt_wc SUCCESS b wr "ep=$EP_B" op=local_inv "inv=$RKEY"
xt_is op LOCAL_INV

xt b fill buf=m off=2M len=128K byte=170
region off=2M len=40960 sgoff=960
xt_is len 40000
xt_wc SUCCESS a wr op=write buf=m len=40000 "rkey=$RKEY" "raddr=$ADDR"
xt_wc SUCCESS a wr op=read buf=m off=4M len=1 "rkey=$RKEY" "raddr=$ADDR"
xt b check buf=m off=2098112 len=40000 seed=3 pos=0
xt b check buf=m off=2M len=960 byte=170

say "invalidated by the peer's Send"
xt b recv "ep=$EP_B" len=0
xt_wc SUCCESS a wr op=send_inv "inv=$RKEY"
xt_wc SUCCESS b wc "ep=$EP_B"
xt_is op RECV
xt_is inv "$RKEY"
old=$RKEY
region
[ "$RKEY" != "$old" ] || fail "the key did not change: $RKEY"
xt_wc SUCCESS a wr op=write buf=m len=64 "rkey=$RKEY" "raddr=$ADDR"
xt_wc SUCCESS b wr "ep=$EP_B" op=local_inv "inv=$RKEY"

say "invalidated by the end of a Read into it"
xt a devinfo "dev=$RD_A"
[ "$(xt_type)" != xiw ] || xt_is read_inv 1
if [ "${XT[read_inv]}" = 1 ]; then
	xt b fill buf=m off=0 len=8192 seed=21
	xt a reg "ep=$EP_A" name=sink buf=m off=6M len=8192 access=lw,rw
	sink=${XT[lkey]}
	xt_wc SUCCESS a wr op=read_inv lmr=sink len=8192 "inv=$sink"
	xt a check buf=m off=6M len=8192 seed=21 pos=0
	# The MR is invalid now and may be registered again.
	xt a reg "ep=$EP_A" name=sink buf=m off=6M len=8192 access=lw,rw
	if [ "$(xt_type)" = xiw ]; then
		say "a Read of length 0 invalidates the MR, too"
		xt_wc SUCCESS a wr op=read_inv lmr=sink len=0 "inv=${XT[lkey]}"
		xt a reg "ep=$EP_A" name=sink buf=m off=6M len=8192 access=lw,rw
		sink=${XT[lkey]}
		say "the STag of all local memory, and one that is not the sink's, stay"
		xt_err EINVAL a wr op=read_inv buf=m off=4M len=64 inv=0
		xt_err EINVAL a wr op=read_inv lmr=sink len=64 "inv=$((sink ^ 256))"
		xt_wc SUCCESS a wr op=read buf=m off=4M len=64
	fi
fi

say "local access through the key of a region"
xt a reg "ep=$EP_A" name=local buf=m off=3M len=8192 access=lw
xt a fill buf=m off=3M len=8192 seed=31
xt_wc SUCCESS a wr op=write lmr=local len=8192
xt_wc SUCCESS a wr op=read buf=m off=4M len=1
xt b check buf=m len=8192 seed=31 pos=3M

# hostile OP KEY=VALUE...: checks that side b refuses the operation OP with KEY=VALUE, that memory
# does not change, and that the connection ends; then makes a new connection
hostile()
{
	xt b fill buf=m off=2M len=128K byte=170
	xt b fill buf=m len=64K byte=170
	xt_try a wr "ep=$EP_A" "op=$1" buf=m len=64 "${@:2}" ||
		equal "$*" EINVAL "${XT[errno]}"
	case $1 in
	# A Write or Send may complete on side a before side b refuses it.
	write | send_inv) [[ ${XT[wc]} == @(SUCCESS|REM_ACCESS_ERR|WR_FLUSH_ERR) ]] || fail "$*: ${XT[0]}" ;;
	*) xt_is wc REM_ACCESS_ERR ;;
	esac
	xt_ended
	xt b check buf=m off=2M len=128K byte=170
	xt b check buf=m len=64K byte=170
	xt_try b dereg name=r || xt_is errno ENOENT
	xt_rejoin
}

# foreign: sets RKEY and ADDR to a key and an address of another protection domain of side b
foreign()
{
	xt a connect "addr=$IP_B" port=7307
	RKEY=${XT[rkey]} ADDR=${XT[raddr]}
}
xt b listen "addr=$IP_B" port=7307 export=m export_len=64K pd=1

say "what the region does not allow"
for op in write read; do
	region
	hostile $op "rkey=$((RKEY ^ 1))" "raddr=$ADDR"		# another key
	region
	hostile $op "rkey=$RKEY" "raddr=$ADDR" roff=65473	# one octet beyond the end
	region
	hostile $op "rkey=$RKEY" "raddr=$((ADDR - 1))"
	foreign
	hostile $op "rkey=$RKEY" "raddr=$ADDR"			# another domain
	region bind=0
	hostile $op "rkey=$RKEY" "raddr=$ADDR"			# never registered
	region
	xt_wc SUCCESS b wr "ep=$EP_B" op=local_inv "inv=$RKEY"
	hostile $op "rkey=$RKEY" "raddr=$ADDR"			# no longer valid
done
region access=lw,rr
hostile write "rkey=$RKEY" "raddr=$ADDR"
region access=lw,rw
hostile read "rkey=$RKEY" "raddr=$ADDR"

if [ "$(xt_type)" = xiw ]; then
	say "no remote rights, no invalidation by the peer"
	region access=lw
	xt b recv "ep=$EP_B" len=0
	hostile send_inv "inv=$RKEY"

	say "deregistered under Writes: no Write changes the memory afterwards"
	for ((i = 0; i < 5; i++)); do
		region
		SEEN=$(octets)
		xt_start a run "ep=$EP_A" op=write buf=m off=4M len=4096 qd=16 \
			"rkey=$RKEY" "raddr=$ADDR" "${XT_ENDLESS[@]}"
		wait_for 20 moved 100000 || fail "nothing moves"
		xt b dereg name=r
		xt b fill buf=m off=2M len=64K byte=170
		xt_ends a '^status=error'
		xt_ended
		xt b check buf=m off=2M len=64K byte=170
		xt_rejoin
	done
fi

say "a Write in front of an invalidate from the same queue reads first"
xt a reg "ep=$EP_A" name=source buf=m off=3M len=64K access=lw
source=${XT[lkey]}
xt a fill buf=m off=3M len=64K seed=41
xt a post op=write lmr=source len=64K more=1 signal=0
xt_wc SUCCESS a wr op=local_inv "inv=$source"
xt_wc SUCCESS a wr op=read buf=m off=4M len=1
xt b check buf=m len=64K seed=41 pos=3M

# With xiw, the index and the low octet of a key are random. By chance, a few of 24 keys may have an
# index next to the index of the previous key, or have the low octet of the previous key.
say "keys that do not reveal the next key"
beside=0 alike=0
for ((i = 0; i < 24; i++)); do
	xt b reg "ep=$EP_B" name=key$i buf=m off=2M len=4K bind=0
	key=${XT[rkey]}
	if [ $i -gt 0 ]; then
		case $(((key >> 8) - (last >> 8))) in -1 | 1) beside=$((beside + 1)) ;; esac
		[ $((key & 255)) -ne $((last & 255)) ] || alike=$((alike + 1))
	fi
	last=$key
done
say "beside the last one: $beside, with its low octet: $alike"
[ $((beside + alike)) -le 4 ] || [ "$(xt_type)" != xiw ] || fail "keys can be guessed"
for ((i = 0; i < 24; i++)); do xt b dereg name=key$i; done

xt a close ep=all
xt b close ep=all
xt_clean a
xt_clean b
