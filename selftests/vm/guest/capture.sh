# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Capture the traffic between the sides. after/wire checks the captures of some tests.
# shellcheck shell=bash

# capture FILE [OPTION...] FILTER...: captures frames at side a into OUT/FILE, until captured() is
# called. Returns when the capture has begun. OPTION and FILTER are those of tcpdump.
capture()
{
	local inside=()
	[ "$TOPOLOGY" != netns ] || inside=(nsenter --net=/run/netns/a)
	rm -f "$OUT/$1"	# the wait below must not find the file of an earlier capture
	"${inside[@]}" tcpdump -i "$DEV_A" -Z root --immediate-mode -B 65536 -s 0 -U \
		-w "$OUT/$1" "${@:2}" >/tmp/capture.log 2>&1 &
	CAPTURE=$!
	expect "capture" wait_for 20 test -s "$OUT/$1"
	# tcpdump may miss packets that arrive before it sets its filter, but the kernel counts
	# these packets as delivered.
	expect "its counts" capture_counts
	CAPTURE_ASTRAY=$((COUNTS[1] - COUNTS[0]))
}

# capture_told N: succeeds if tcpdump has printed its counts more than N times
capture_told() { [ "$(grep -c ' captured, ' /tmp/capture.log)" -gt "$1" ]; }

# capture_counts: sets COUNTS to two numbers of packets: those that tcpdump has captured, and those
# that the kernel counts as delivered. Returns 1 if tcpdump does not print these numbers.
capture_counts()
{
	local told
	told=$(grep -c ' captured, ' /tmp/capture.log) || :
	kill -USR1 "$CAPTURE"
	wait_for 10 capture_told "$told" || return
	read -r -a COUNTS < <(sed -n \
		's/^tcpdump: \([0-9]*\) packets* captured, \([0-9]*\) packets* received.*/\1 \2/p' \
		/tmp/capture.log | tail -n 1)
}

# capture_whole: succeeds if the capture contains all packets that the kernel has delivered
capture_whole() { capture_counts && [ "${COUNTS[0]}" -ge $((COUNTS[1] - CAPTURE_ASTRAY)) ]; }

# captured: ends the capture, and fails the test if the capture is not complete
captured()
{
	expect "the whole capture" wait_for 20 capture_whole
	kill -INT "$CAPTURE"
	wait "$CAPTURE" || fail "tcpdump: $(tail -n 1 /tmp/capture.log)"
	grep -q '^0 packets dropped by kernel' /tmp/capture.log ||
		fail "incomplete capture: $(grep dropped /tmp/capture.log)"
}

# capture_find FILE FILTER...: sets the array FRAMES to the frames of the capture OUT/FILE that
# match FILTER, as tcpdump prints them. Fails the test if tcpdump cannot read the capture.
capture_find()
{
	local found
	found=$(tcpdump -Z root -n -r "$OUT/$1" "${@:2}" 2>/tmp/capture.err) ||
		fail "$1: $(</tmp/capture.err)"
	FRAMES=()
	[ -z "$found" ] || mapfile -t FRAMES <<<"$found"
}

# capture_flag FILE FLAG: sets FRAMES to the segments of the capture OUT/FILE that have the TCP flag
# FLAG. Fails the test if the capture does not contain the beginning of a connection.
capture_flag()
{
	capture_find "$1" 'tcp[tcpflags] & tcp-syn != 0'
	[ ${#FRAMES[@]} -gt 0 ] || fail "no SYN in $1"
	capture_find "$1" "tcp[tcpflags] & tcp-$2 != 0"
}
