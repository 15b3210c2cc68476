# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The wire peer (selftests/conformance) against the kernel of this guest.
# shellcheck shell=bash

PEER_VECTORS=/lab/in/vectors/wire.tsv

# peer_run SCENARIO [ARG...]: all of selftests/conformance/scenarios/SCENARIO.scn
peer_run()
{
	local rc=0 start=$SECONDS
	say "scenarios of $1"
	[ "$IP_PEER" = "$IP_B" ] || set -- "$@" --from "$IP_PEER"
	xiw-peer run "/lab/in/conformance/scenarios/$1.scn" --vectors "$PEER_VECTORS" \
		--control k=/dev/xiw_test --control c=/dev/xiw_test --control d=/dev/xiw_test \
		--set "hurry=$((300 * PATIENCE))ms" \
		--set "a=$IP_A" --set "b=$IP_B" --set "peer=$IP_PEER" \
		--set "initiator=$RD_A" --set "device=$RD_B" \
		--patience "$PATIENCE" --times "${@:2}" || rc=$?
	say "$((SECONDS - start)) s"
	return "$rc"
}

# peer_fuzz BASE SECONDS: sessions with mistakes, begun for so long; nothing is left of them
peer_fuzz()
{
	say "base $1; sessions again: --set base=$1 --only NAME"
	expect "all sessions" peer_run fuzz --set "base=$1" --at-most "$2"
	xt_open a a
	xt_open b b
	xiw_clean
}
