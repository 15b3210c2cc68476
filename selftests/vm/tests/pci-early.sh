# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RNIC reports the end of a stream first, and then messages that arrived before this end. The
# stream ends, the receives of its messages are flushed, and the device and its other streams
# continue.
#
#   lab run --rnic pci --rnic-arg --fault=burst=16 --rnic-arg --fault=early@1+ \
#       --group fault pci-early
#
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 240
# shellcheck shell=bash

ROUNDS=20
failures() { dmesg | grep -c ': device failed: ' || :; }

xt_up
xt_pair
xt_open other a
xt_listen
xt other buf name=m size=8M
xt other connect "addr=$IP_B" "port=$XT_PORT"
OTHER=${XT[ep]}
xt b wait ep=all state=ready

for ((round = 1; round <= ROUNDS; round++)); do
	xt a connect "addr=$IP_B" "port=$XT_PORT"
	EP_A=${XT[ep]}
	xt b wait ep=all state=ready n=2
	EP_B=${XT[ep]}
	xt b sink "ep=$EP_B" n=16 len=4096 off=2M
	xt_try a post "ep=$EP_A" op=send buf=m len=100 n=8 || say "round $round: ${XT[0]}"
	# In odd rounds, side a aborts the stream. In even rounds, side a only destroys the QP.
	[ $((round % 2)) -eq 0 ] || xt_try a modify "ep=$EP_A" state=ERR || say "round $round: ${XT[0]}"
	xt a close "ep=$EP_A"
	xt b wait "ep=$EP_B" state=disconnected
	xt b close "ep=$EP_B"
	equal "devices failed in round $round" 0 "$(failures)"
done
say "the connection beside them"
xt other run "ep=$OTHER" op=write buf=m off=4M len=20011 qd=4 count=40 verify=1
xt_closed a b other
xt_clean a
