# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for features that only xiw has: its settings and its reports.
# shellcheck shell=bash

# configure KEY=VALUE...: changes settings of both xiw devices, for new connections
configure()
{
	configure_a "$@"
	configure_b "$@"
}

configure_a() { expect "settings of a" on_a xiw config set "$RD_A" "$@"; }
configure_b() { expect "settings of b" on_b xiw config set "$RD_B" "$@"; }

# told SIDE EXPRESSION COMMAND...: runs the tool "xiw COMMAND..." on SIDE, and prints what the jq
# EXPRESSION extracts from its JSON output
told()
{
	on_"$1" xiw --json "${@:3}" | jq -c "$2"
}

# told_is SIDE WANTED EXPRESSION COMMAND...: checks that told() prints WANTED for these arguments
told_is()
{
	local got
	got=$(told "$1" "$3" "${@:4}") || fail "$1: xiw ${*:4}: status $?"
	equal "$1: xiw ${*:4}: $3" "$2" "$got"
}

# verdict CHECK: prints the findings of the check CHECK of xiw doctor on side a, one "VERDICT: TEXT"
# on each line. The status of xiw doctor is ignored, because other checks warn in a guest.
verdict()
{
	{ on_a xiw --json doctor || :; } |
		jq -r --arg check "$1" '.findings[] | select(.check == $check) | .verdict + ": " + .text'
}

# parked: prints the number of streams of side b that wait for a receive
parked() { told b '.devices[0].objects.parked' show "$RD_B"; }
parked_is() { [ "$(parked)" = "$1" ]; }
wait_parked() { wait_for 10 parked_is "$1" || fail "$(parked) streams are parked, not $1"; }

# genl_is WANTED KIND COMMAND [ATTRIBUTE...]: sends a request to the driver of side a with genl, and
# checks that the answer matches the glob WANTED. The other arguments are those of genl.
genl_is()
{
	local got
	got=$(on_a /run/guest/genl xiw "${@:2}") || fail "genl xiw ${*:2}: status $?"
	# shellcheck disable=SC2053
	[[ $got == $1 ]] || fail "genl xiw ${*:2}: '$got' instead of '$1'"
	say "+ ${*:2} -> $got"
}

# short_over: waits until xiw_short (selftests/kmod/README.md) has made a call fail, because another
# thread may still be about to make the call. Then unloads the module. Returns 1 if no call has
# failed, because the probe has missed the call. The probe misses a call by a softirq that
# interrupts the handler of the probe.
short_over()
{
	local missed=0
	wait_for 10 short_struck || missed=$(<$SHORT/missed)
	short_struck || [ "$missed" -gt 0 ] || fail "xiw_short has made no call fail"
	rmmod xiw_short
	[ "$missed" = 0 ]
}
SHORT=/sys/module/xiw_short/parameters
short_struck() { [ "$(<$SHORT/struck)" = 1 ]; }

# rd_of SIDE: prints the name of the RDMA device of SIDE
rd_of() { case $1 in a) printf '%s' "$RD_A" ;; *) printf '%s' "$RD_B" ;; esac; }

# counter SIDE NAME: prints the counter NAME of the RDMA device of SIDE
counter()
{
	on_"$1" rdma -j statistic show link "$(rd_of "$1")/1" | jq ".[0].$2"
}

# frames_sound [COUNTER...]: checks that the counters of bad frames, and each COUNTER, are 0 on both
# sides
frames_sound()
{
	local side name
	for side in a b; do
		for name in rx_crc_errors rx_framing_errors rx_malformed "$@"; do
			equal "$name of $side" 0 "$(counter $side "$name")"
		done
	done
}

# octets: prints the number of octets that side b has received over the connections that it has
# accepted. moved N: succeeds if this number is above SEEN + N. The test sets SEEN.
octets() { told b '[.connections[] | select(.role == "responder") | .rx_bytes] | add' conn "$RD_B"; }
moved() { [ "$(octets)" -gt "$((SEEN + $1))" ]; }

# rdma_resource SIDE WHAT: prints rdma(8)'s list of the objects WHAT on the device of SIDE. WHAT is
# qp, cm_id, mr, cq, pd or srq. For qp and cm_id, rdma(8) lists the objects of a port.
rdma_resource()
{
	case $2 in
	qp | cm_id) on_"$1" rdma resource show "$2" link "$(rd_of "$1")/1" ;;
	*) on_"$1" rdma resource show "$2" dev "$(rd_of "$1")" ;;
	esac
}

# rdma_empty SIDE WHAT...: checks that rdma(8) lists no object of the kinds WHAT on the device of
# SIDE
rdma_empty()
{
	local what left
	for what in "${@:2}"; do
		left=$(rdma_resource "$1" "$what") || fail "rdma on $1: status $?"
		equal "rdma resource of $1: $what" "" "$left"
	done
}

# objects_of SIDE [FILTER]: prints, as JSON, how many objects of each kind exist on the device of
# SIDE. FILTER is a jq expression that processes this JSON, for instance "| del(.cq)".
objects_of() { told "$1" ".devices[0].objects ${2-}" show "$(rd_of "$1")"; }
# objects_gone SIDE: succeeds if objects_of prints 0 for each kind of object
objects_gone() { [ "$(objects_of "$1" '| map(.) | unique')" = '[0]' ]; }
# storage_gone SIDE: like objects_gone, but omits CQs. After NVMe-oF, ib_core keeps shared CQs until
# the device is removed.
storage_gone() { [ "$(objects_of "$1" '| del(.cq) | map(.) | unique')" = '[0]' ]; }

# xiw_clean: closes the sessions of the exerciser. Checks that no object is left in the exerciser,
# on the devices or in rdma(8)'s lists.
xiw_clean()
{
	local side
	for side in a b; do
		xt_clean $side
		xt_close $side
	done
	for side in a b; do
		wait_for 10 objects_gone $side ||
			fail "objects stay on $side: $(objects_of $side)"
		rdma_empty $side qp cm_id mr cq pd srq
	done
}
