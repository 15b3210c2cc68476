# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The wire peer (selftests/conformance) against the kernel of this guest.
# shellcheck shell=bash

PEER_VECTORS=/lab/in/vectors/wire.tsv

# peer_run SCENARIO [ARG...]: all of selftests/conformance/scenarios/SCENARIO.scn
peer_run()
{
	local rc=0 start=$SECONDS
	say "scenarios of $1"
	xiw-peer run "/lab/in/conformance/scenarios/$1.scn" --vectors "$PEER_VECTORS" \
		--control k=/dev/xiw_test --control c=/dev/xiw_test --control d=/dev/xiw_test \
		--set "hurry=$((300 * PATIENCE))ms" \
		--set "a=$IP_A" --set "b=$IP_B" --set "initiator=$RD_A" --set "device=$RD_B" \
		--patience "$PATIENCE" --times "${@:2}" || rc=$?
	say "$((SECONDS - start)) s"
	return "$rc"
}
