# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A time limit of a connection does not start, as if the outcome had arrived at the same moment. The
# connection still works, and releases its QPs. The driver starts a time limit by
# queue_delayed_work(). During a connect, it starts the time limit of the offer at side b, and the
# time limit of the outcome at both sides. In each round, a kprobe makes another call of
# queue_delayed_work() do nothing and return false.
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
