# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for features that only xiw has: its settings and its reports.
# shellcheck shell=bash

# configure KEY=VALUE...: configures both devices, for new connections
configure()
{
	configure_a "$@"
	configure_b "$@"
}

configure_a() { expect "settings of a" on_a xiw config set "$RD_A" "$@"; }
configure_b() { expect "settings of b" on_b xiw config set "$RD_B" "$@"; }

# told SIDE EXPRESSION COMMAND...: runs the tool on SIDE, and prints what jq extracts from its
# output by EXPRESSION
told()
{
	on_"$1" xiw --json "${@:3}" | jq -c "$2"
}

# told_is SIDE WANTED EXPRESSION COMMAND...: checks that told prints WANTED
told_is()
{
	local got
	got=$(told "$1" "$3" "${@:4}") || fail "$1: xiw ${*:4}: status $?"
	equal "$1: xiw ${*:4}: $3" "$2" "$got"
}

# verdict CHECK: prints the findings of CHECK in xiw doctor on side a. The status of xiw doctor is
# ignored, because other checks warn in a guest.
verdict()
{
	{ on_a xiw --json doctor || :; } |
		jq -r --arg check "$1" '.findings[] | select(.check == $check) | .verdict + ": " + .text'
}

# parked: prints how many streams of side b wait for a receive
parked() { told b '.devices[0].objects.parked' show "$RD_B"; }
parked_is() { [ "$(parked)" = "$1" ]; }
wait_parked() { wait_for 10 parked_is "$1" || fail "$(parked) streams are parked, not $1"; }

# genl_is WANTED KIND COMMAND [ATTRIBUTE...]: checks the reply of the kernel of side a to a request
# of genl; WANTED is a pattern
genl_is()
{
	local got
	got=$(on_a /run/guest/genl xiw "${@:2}") || fail "genl xiw ${*:2}: status $?"
	# shellcheck disable=SC2053
	[[ $got == $1 ]] || fail "genl xiw ${*:2}: '$got' instead of '$1'"
	say "+ ${*:2} -> $got"
}

rd_of() { case $1 in a) printf '%s' "$RD_A" ;; *) printf '%s' "$RD_B" ;; esac; }

# counter SIDE NAME: prints a counter of the device of SIDE
counter()
{
	on_"$1" rdma -j statistic show link "$(rd_of "$1")/1" | jq ".[0].$2"
}

# frames_sound [COUNTER...]: checks that both sides' counters of bad frames, and each COUNTER, are 0
frames_sound()
{
	local side name
	for side in a b; do
		for name in rx_crc_errors rx_framing_errors rx_malformed "$@"; do
			equal "$name of $side" 0 "$(counter $side "$name")"
		done
	done
}

# octets: prints the octets that side b has received over all connections; moved N: checks that this
# number is above SEEN + N
octets() { told b '[.connections[] | select(.role == "responder") | .rx_bytes] | add' conn "$RD_B"; }
moved() { [ "$(octets)" -gt "$((SEEN + $1))" ]; }

# rdma_resource SIDE WHAT: prints rdma's list for the device; some lists have ports, other lists do
# not
rdma_resource()
{
	case $2 in
	qp | cm_id) on_"$1" rdma resource show "$2" link "$(rd_of "$1")/1" ;;
	*) on_"$1" rdma resource show "$2" dev "$(rd_of "$1")" ;;
	esac
}

# objects_of SIDE [FILTER]: prints the numbers of objects of users on the device, as the tool shows
# them, in JSON; FILTER is jq's, and is appended
objects_of() { told "$1" ".devices[0].objects ${2-}" show "$(rd_of "$1")"; }
# objects_gone SIDE: succeeds if objects_of finds no object
objects_gone() { [ "$(objects_of "$1" '| map(.) | unique')" = '[0]' ]; }
# storage_gone SIDE: like objects_gone, but after NVMe-oF. Until the device is removed, ib_core
# keeps the CQs that NVMe shared
storage_gone() { [ "$(objects_of "$1" '| del(.cq) | map(.) | unique')" = '[0]' ]; }

# xiw_clean: ends the sessions and checks that nothing is left: in the exerciser, on the devices,
# in rdma's lists
xiw_clean()
{
	local side what
	for side in a b; do
		xt_clean $side
		xt_close $side
	done
	for side in a b; do
		wait_for 10 objects_gone $side ||
			fail "objects stay on $side: $(objects_of $side)"
		for what in qp cm_id mr cq pd srq; do
			equal "rdma resource of $side: $what" "" "$(rdma_resource $side $what)"
		done
	done
}
