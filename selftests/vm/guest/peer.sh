# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Run the wire peer (selftests/conformance) against the driver in this guest.
# shellcheck shell=bash

PEER_VECTORS=/lab/in/vectors/wire.tsv
# The file with the result of each scenario, for spec-coverage. Each line contains "pass" or "fail",
# a tab, and FILE.scn:NAME.
PEER_RESULTS=${OUT-}/scenarios.tsv

# peer_run FILE [OPTION...]: runs the scenarios of selftests/conformance/scenarios/FILE.scn, and
# returns the status of xiw-peer. OPTIONs are those of xiw-peer, such as --only NAME.
peer_run()
{
	local rc start=$SECONDS file=$1.scn
	say "scenarios of $1"
	[ "$IP_PEER" = "$IP_B" ] || set -- "$@" --from "$IP_PEER"
	: >/tmp/peer.status
	{
		xiw-peer run "/lab/in/conformance/scenarios/$file" --vectors "$PEER_VECTORS" \
			--control k=/dev/xiw_test --control c=/dev/xiw_test \
			--control d=/dev/xiw_test \
			--set "hurry=$((600 * PATIENCE))ms" \
			--set "at_once=$((20000 / PATIENCE))ms" \
			--set "a=$IP_A" --set "b=$IP_B" --set "peer=$IP_PEER" \
			--set "initiator=$RD_A" --set "device=$RD_B" \
			--patience "$PATIENCE" --times "${@:2}" || echo $? >/tmp/peer.status
	} | tee /tmp/peer.log
	rc=$(</tmp/peer.status)
	awk -v OFS='\t' -v file="$file" '$1 == "pass" || $1 == "fail" {
		sub(/:$/, "", $2)
		print $1, file ":" $2
	}' /tmp/peer.log >>"$PEER_RESULTS"
	say "$((SECONDS - start)) s"
	return "${rc:-0}"
}

# peer_fuzz BASE SECONDS: runs random sessions, from number BASE on, for at most SECONDS. Most of
# these sessions violate the protocol. Then checks that no object is left.
peer_fuzz()
{
	say "base $1; sessions again: --set base=$1 --only NAME"
	expect "all sessions" peer_run fuzz --set "base=$1" --at-most "$2"
	xt_open a a
	xt_open b b
	xiw_clean
}
