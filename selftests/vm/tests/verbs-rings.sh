# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Send queues, receive queues and shared receive queues work at sizes from 1 to 4096 work requests.
# Each ring wraps at least twice.
# topology: one
# kernels: all
# timeout: 300
# shellcheck shell=bash

xt_up
xt_pair
for depth in 1 2 3 4 7 8 16 32 64 128 256 512 1024 2048 4096; do
	say "depth $depth"
	count=$((2 * depth + 3)) qd=$((depth < 64 ? depth : 64))
	xt_listen "rq=$depth"
	xt_join "sq=$depth"
	xt b sink "ep=$EP_B" "n=$depth" len=64 off=2M verify=1
	xt a run "ep=$EP_A" op=send buf=m off=4M len=64 "qd=$qd" "count=$count" verify=1
	xt_sunk b "$EP_B" messages "$count"
	xt a run "ep=$EP_A" op=write buf=m off=4M len=9 "qd=$qd" "count=$count" verify=1
	xt a query "ep=$EP_A"
	xt_is misordered 0
	xt_part
	xt b close ep=all
done

for depth in 1 2 64 4096; do
	say "shared receives, depth $depth"
	count=$((2 * depth + 3))
	# A session has one SRQ for all its listeners, so each size needs a new session.
	xt_open q b
	xt q buf name=m size=1M
	xt q listen "addr=$IP_B" "port=$XT_PORT" hello=0 srq=1 "srq_max=$depth"
	LISTENER=${XT[ep]}
	xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0
	EP_A=${XT[ep]}
	xt q wait ep=all state=ready
	EP_B=${XT[ep]}
	for ((sent = 0; sent < count; sent += n)); do
		n=$((count - sent < depth ? count - sent : depth))
		n=$((n < 64 ? n : 64))
		xt q recv "ep=$LISTENER" srq=1 "n=$n" buf=m len=64
		xt a post "ep=$EP_A" op=send buf=m len=64 "n=$n"
		xt a wcall "ep=$EP_A" "n=$n"
		xt_is SUCCESS "$n"
		xt q wcall "ep=$EP_B" "n=$n"
		xt_is SUCCESS "$n"
	done
	xt a close "ep=$EP_A"
	xt q wait "ep=$EP_B" state=disconnected
	xt q close ep=all
	xt_clean q
	xt_close q
done
xt_clean a
xt_clean b
