# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A connection works, and releases its QPs, even if one of its time limits does not start. This can
# happen if the outcome of a connect or accept arrives while the driver starts the time limit. The
# driver starts a time limit by queue_delayed_work(). During a connect, it starts the time limit for
# accept or reject at side b, and the time limit for the outcome of the connect or accept at both
# sides. In each round, a kprobe makes a different one of these three calls of queue_delayed_work()
# do nothing and return false.
# topology: one
# kernels: all
# rnic: pci
# timeout: 120
# not-debug: a kprobe makes a call return false, and that kernel has no kprobes
# shellcheck shell=bash

function_up
# The driver also queues other work, such as the check of the RNIC's health. So count only the calls
# by the functions for connections, xiw_conn_*().
for ((call = 0, missed = 0; call < 3; call++)); do
	say "without the time limit of call $call"
	expect "no time limit" insmod /lab/in/modules/xiw_short.ko in=queue_delayed_work_on \
		by=xiw_conn_ null=1 skip=$call
	xt_listen
	xt_join
	if ! short_over; then
		[ "$((++missed))" -le 5 ] || fail "xiw_short misses calls"
		say "the probe has missed the call; once more"
		call=$((call - 1))
	fi
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=4 count=40 verify=1
	xt_part
	xt b close ep=all
	xt_clean a
	xt_clean b
done
