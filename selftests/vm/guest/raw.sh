# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Raw TCP connections to a listener of side b, in the background (tcp-peer).
# shellcheck shell=bash

# raw_up PORT ARGUMENT...: starts tcp-peer, which connects to PORT of side b. ARGUMENTs are the
# other arguments of tcp-peer. Sets RAW_AT to the process ID of tcp-peer.
raw_up()
{
	coproc RAW { exec /run/guest/tcp-peer "$IP_B" "$@" 2>&1; }
	RAW_AT=$RAW_PID
	# Use copies of the descriptors in RAW, because bash closes the originals when tcp-peer
	# ends.
	exec {RAW_OUT}<&"${RAW[0]}" {RAW_IN}>&"${RAW[1]}"
	eval "exec ${RAW[1]}>&-"
}

# raw_prints LINE SECONDS: checks that LINE is the next line that tcp-peer prints, within SECONDS
raw_prints()
{
	local line
	read -r -t $(($2 * PATIENCE)) -u "$RAW_OUT" line || fail "the raw connections do not print '$1'"
	equal "output of the raw connections" "$1" "$line"
}

# raw_go: sends an empty line to the input of tcp-peer
raw_go() { echo >&"$RAW_IN"; }

# raw_eof: closes the input of tcp-peer
raw_eof()
{
	[ -z "$RAW_IN" ] || exec {RAW_IN}>&-
	RAW_IN=''
}

# raw_down [kill]: closes the input of tcp-peer, kills tcp-peer if "kill" is given, and waits until
# tcp-peer ends
raw_down()
{
	raw_eof
	[ "${1-}" != kill ] || kill "$RAW_AT" 2>/dev/null || :
	wait "$RAW_AT" 2>/dev/null || :
	exec {RAW_OUT}<&-
}
