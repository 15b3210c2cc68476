# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Connections whose time limit does not start, as if their outcome had arrived at the same moment,
# work and release their QPs. A kprobe makes one call that queues delayed work return false. During
# a connect, the driver queues delayed work for the time limit of the offer at side b, and for the
# time limit of the outcome at both sides. The connects of this test omit these calls in turn.
# topology: one
# kernels: all
# rnic: pci
# timeout: 120
# not-debug: the call returns false by a kprobe, which that kernel does not have
# shellcheck shell=bash

function_up
for ((call = 0; call < 5; call++)); do
	say "without the time limit of call $call"
	expect "no time limit" insmod /lab/in/modules/xiw_short.ko in=queue_delayed_work_on \
		from=xiw null=1 skip=$call
	xt_listen
	xt_join
	rmmod xiw_short
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=4 count=40 verify=1
	xt_part
	xt b close ep=all
	xt_clean a
	xt_clean b
done
