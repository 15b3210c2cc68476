# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for tests with xiw at one end of a connection, and another driver at the other end. siw
# and siw_mpa1 initiate with different MPA revisions. A test loads one of them at a time, because
# both register the same link type.
# shellcheck shell=bash

# ends TYPE_A TYPE_B: removes old devices, and creates a device of TYPE_A on side a and a device of
# TYPE_B on side b. Sets XIW_SIDE and XIW_DEV to the side and the name of the xiw device. Opens
# session a of the exerciser on side a and session b on side b, each with a buffer m.
ends()
{
	ends_down
	say "== $1 on a, $2 on b"
	expect "devices" rdma_up "$1" "$2"
	case $1 in
	xiw) XIW_SIDE=a XIW_DEV=$RD_A ;;
	*) XIW_SIDE=b XIW_DEV=$RD_B ;;
	esac
	expect "the exerciser on a" on_a load xiw_test
	expect "the exerciser on b" on_b load xiw_test
	xt_pair
}

# ends_down: closes the sessions, removes the devices, and unloads the drivers
ends_down()
{
	local name module
	for name in "${!XT_SIDE[@]}"; do
		xt_try "$name" close ep=all || xt_is errno ENOENT
		xt_clean "$name"
		xt_close "$name"
	done
	rdma_down || fail "a device stays"
	for module in xiw_test siw siw_mpa1 siw_crc; do
		unload $module || fail "$module stays loaded"
	done
}

# xiw_tool ARGUMENT...: runs the tool xiw on the side XIW_SIDE, and returns its status
xiw_tool()
{
	case $TOPOLOGY in
	netns) within 60 nsenter "--net=/run/netns/$XIW_SIDE" xiw "$@" ;;
	pair) "on_$XIW_SIDE" xiw "$@" ;;
	*) within 60 xiw "$@" ;;
	esac
}

# xiw_set KEY=VALUE...: configures the xiw device for its next connection
xiw_set() { expect "configuration" xiw_tool config set "$XIW_DEV" "$@"; }

# xiw_is FILTER WANTED [FILTER WANTED]...: checks that each jq expression FILTER prints WANTED for
# the only connection that xiw conn shows. A single call of the tool serves all filters, because
# programs start slowly in a guest.
xiw_is()
{
	local filters='' got i=1
	while [ $i -lt $# ]; do
		filters+="${filters:+, }(${!i})"
		i=$((i + 2))
	done
	xiw_tool --json conn "$XIW_DEV" >/tmp/told.json || fail "xiw conn: status $?"
	mapfile -t got < <(jq -c ".connections[] | select(.role != \"listener\") | $filters" /tmp/told.json)
	for ((i = 0; $# > 0; i++)); do
		equal "xiw connection: $1" "$2" "${got[i]-nothing}"
		shift 2
	done
}

# only_misordered SESSION: checks that the run of SESSION failed only because siw has completed a
# Write before an earlier Read. xiw must not do this.
only_misordered()
{
	[ "$1" != "$XIW_SIDE" ] || fail "xiw on $1: ${XT[0]}"
	xt_is errno EILSEQ
	xt_is bad 0
}

# siw drops TCP's notification of data that arrives after siw's MPA Reply and before siw is ready
# for FPDUs. If this data is the first Send, siw receives this Send only when the next FPDU arrives.
# With nudge=MS, the exerciser posts a Write of length 0 every MS milliseconds until the first Send
# is answered.
NUDGE=nudge=1000

# meet [KEY=VALUE...]: connects side a to a listener of side b. Both sides export the first part of
# m. Sets EP_A and EP_B to the endpoints. By default, a listener uses at most the values of ird and
# ord in the Request. If the Request does not contain the fields of revision 2, siw reports 0 for
# both values. So the functions set ird and ord explicitly.
meet()
{
	xt_listen export_len=1M ird=16 ord=16 "$@"
	xt_join export=m export_len=1M ird=16 ord=16 $NUDGE "$@"
}

# meet_back: like meet(), but side a listens and side b connects
meet_back()
{
	xt a listen "addr=$IP_A" "port=$XT_PORT" export=m export_len=1M ird=16 ord=16
	LISTENER=${XT[ep]}
	xt b connect "addr=$IP_A" "port=$XT_PORT" export=m export_len=1M ird=16 ord=16 $NUDGE
	EP_B=${XT[ep]}
	xt a wait ep=all state=ready
	EP_A=${XT[ep]}
}

# parted: closes both endpoints and the listener
parted()
{
	xt_part
	xt_try b close "ep=$LISTENER" || xt a close "ep=$LISTENER"
}
