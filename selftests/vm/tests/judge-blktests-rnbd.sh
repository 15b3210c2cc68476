# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the tests of blktests for rnbd. rnbd posts Sends with Immediate, so each link of xiw gets the
# setting send-with-immediate.
# topology: netns
# kernels: uml-smp
# group: judges
# disk: programs
# memory: 2048
# timeout: 600
# shellcheck shell=bash

# rdma ARG...: runs rdma(8). blktests calls this function to create links.
rdma()
{
	command rdma "$@" || return
	[[ "$*" != "link add "*" type xiw "* ]] || xiw config set "$3" send-with-immediate=on
}

export -f rdma
cp -a /lab/in/blktests /tmp/ || fail "no blktests"
blktests_up blktests-rnbd
blktests_run rnbd 500 2
