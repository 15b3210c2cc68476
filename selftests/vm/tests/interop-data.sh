# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw and siw execute each other's operations: Send, Send with Solicited Event, Send with
# Invalidate, Write and Read. Each driver is the initiator once. Every octet is compared.
# [R-GEN-011]
# topology: one netns
# kernels: all
# rnic: soft mixed
# timeout: 240
# not-debug: lockdep reports siw's own locks, and then it stops checking
# shellcheck shell=bash

SIZES=(0 1 4099 1048576)
seed=1

# moved FROM TO SIZE: side FROM posts a Write, a Read and each kind of Send with SIZE octets to side
# TO; compares the data
moved()
{
	local from=$1 to=$2 size=$3 op
	local -n ep_from=EP_${from^^} ep_to=EP_${to^^}
	seed=$((seed + 1))
	xt "$from" fill buf=m "len=$size" "seed=$seed"

	xt "$to" fill buf=m "len=$((size + 64))" byte=170
	xt_wc SUCCESS "$from" wr "ep=$ep_from" op=write buf=m "len=$size"
	xt_is op RDMA_WRITE
	xt "$from" fill buf=m off=4M "len=$((size + 64))" byte=170
	# siw does not support a Read of length zero, so read one octet if SIZE is 0. The response
	# shows that the Write has been placed.
	xt_wc SUCCESS "$from" wr "ep=$ep_from" op=read buf=m off=4M "len=$((size ? size : 1))"
	xt_is op RDMA_READ
	xt "$to" check buf=m "len=$size" "seed=$seed" pos=0
	xt "$to" check buf=m "off=$size" len=64 byte=170
	xt "$from" check buf=m off=4M "len=$size" "seed=$seed" pos=0
	xt "$from" check buf=m "off=$((4194304 + (size ? size : 1)))" len=63 byte=170

	for op in send "send se=1" send_inv; do
		xt "$to" fill buf=m off=2M "len=$((size + 64))" byte=170
		xt "$to" recv "ep=$ep_to" buf=m off=2M "len=$size"
		if [ "$op" = send_inv ]; then
			xt "$to" reg "ep=$ep_to" name=r buf=m off=6M len=64K
			op="send_inv inv=${XT[rkey]}"
		fi
		# shellcheck disable=SC2086
		xt_wc SUCCESS "$from" wr "ep=$ep_from" op=$op buf=m "len=$size"
		xt_wc SUCCESS "$to" wc "ep=$ep_to"
		xt_is op RECV
		xt_is byte_len "$size"
		[[ $op != send_inv* ]] || xt_is inv "${op#*inv=}"
		xt "$to" check buf=m off=2M "len=$size" "seed=$seed" pos=0
		xt "$to" check buf=m "off=$((2097152 + size))" len=64 byte=170
	done
}

# crowd FROM TO: side FROM runs many operations at once to side TO, and the data of each is compared
crowd()
{
	local from=$1 to=$2 size
	local -n ep_from=EP_${from^^} ep_to=EP_${to^^}
	for size in 1 4095 16385; do
		xt_run "$from" "ep=$ep_from" op=write buf=m off=4M "len=$size" qd=16 count=64 verify=1
		xt "$to" fill buf=m len=1M seed=9
		xt_run "$from" "ep=$ep_from" op=read buf=m off=4M "len=$size" qd=16 count=64 verify=1 seed=9
	done
	xt "$to" sink "ep=$ep_to" n=64 len=16385 off=2M verify=1
	xt_run "$from" "ep=$ep_from" op=send buf=m off=4M len=16385 qd=16 count=64 verify=1
	xt_sunk "$to" "$ep_to" messages 64
}

# xt_run SESSION KEY=VALUE...: runs operations. If siw completes a Write before an earlier Read, the
# exerciser reports an error. xt_run ignores only this error, and only from siw.
xt_run() { xt_try "$1" run "${@:2}" || only_misordered "$1"; }

# both [MEET]: makes a connection by the function MEET (default meet), and exchanges messages in
# both directions
both()
{
	local size
	"${1-meet}"
	for size in "${SIZES[@]}"; do
		say "size $size"
		moved a b "$size"
		moved b a "$size"
	done
	say "many in flight"
	crowd a b
	crowd b a
	local -n ep_xiw=EP_${XIW_SIDE^^}
	xt "$XIW_SIDE" query "ep=$ep_xiw"
	xt_is misordered 0
	xt_is ghosts 0
	xt_is qp_events ''
	xiw_is .terminate null
	parted
}

ends xiw siw
both
if [ "$RNIC" = mixed ]; then
	# siw does not run on a PCIe RNIC, so side a must keep xiw. Let side b connect, so that siw
	# is the initiator.
	both meet_back
else
	ends siw xiw
	both
fi
ends_down
