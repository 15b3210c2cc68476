# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures the cost of verbs over xiw (CRC on), siw without and with CRC, and rxe, with the same
# exerciser. It also measures a plain TCP stream, for comparison. All of these take turns in one
# boot. With --icount, each instruction of either end counts as a nanosecond, so the numbers do not
# depend on the machine (docs/performance.md).
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 3600
# group: bench
# after: wire
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw siw_crc rxe tcp}"
read -r -a MTUS <<<"${XIW_TEST_MTUS:-1500 9000}"
read -r -a SIZES <<<"${XIW_TEST_SIZES:-8 64 4096 65536 1048576}"
read -r -a DEPTHS <<<"${XIW_TEST_DEPTHS:-128 16 1}"
read -r -a QPS <<<"${XIW_TEST_QPS:-1 64}"
ROUNDS=${XIW_TEST_ROUNDS:-2}
MS=${XIW_TEST_MS:-20}

# crc_is: captures a few Writes, Reads and Sends, once for each device type except rxe. On the host,
# after/wire checks the captures. With type siw, no FPDU may have a CRC. With all other types, every
# FPDU must have a CRC
crc_is()
{
	local op file=$XIW_TEST_TYPE.pcap
	[ "$XIW_TEST_TYPE" != rxe ] || return 0
	[ "$XIW_TEST_TYPE" != siw ] || file=nocrc-$file
	[ ! -e "$OUT/$file" ] || return 0
	capture "$file" tcp
	speed_join
	for op in write read send; do
		xt a run ep=all op=$op buf=m off=4M len=6000 qd=2 count=4
	done
	speed_part
	captured
}

# messages: measures all operations that move data, at each size and depth
messages()
{
	local op len depth ms ops=(write read send)
	[[ $XIW_TEST_TYPE == siw* ]] || ops+=(write_imm)	# siw has no immediates
	for op in "${ops[@]}"; do
		for len in "${SIZES[@]}"; do
			for depth in "${DEPTHS[@]}"; do
				ms=$MS
				[ "$len" -lt 1000000 ] || ms=$((MS * 4))
				# Omit rows with more than 20 MB in flight. In such rows, the amount
				# of memory would determine the result, and not the depth.
				[ $((len * depth)) -le 20000000 ] || continue
				speed $op "$len" "$depth" "$ms"
			done
		done
	done
}

# atomics: measures atomics, which siw does not support
atomics()
{
	local n depth
	[[ $XIW_TEST_TYPE == @(xiw|rxe) ]] || return 0
	for n in "${QPS[@]}"; do
		speed_join "$n" sink=2 sink_len=64 rq=8 sq=16
		for depth in 16 1; do
			speed fetchadd 8 "$depth" "$MS"
		done
		speed_part
	done
}

# stream OCTETS: measures a TCP stream between two processes, which write and read pieces of OCTETS.
# The result becomes a row for Writes and a row for Sends, both of depth 16, for comparison
stream()
{
	local server ns work busy
	iperf3 -s -1 -B "$IP_B" >/tmp/iperf.server 2>&1 &
	server=$!
	wait_for 20 stream_served
	bench_begin
	within 100 iperf3 -c "$IP_B" -B "$IP_A" -t 1 -i 0 -l "$1" -J >/tmp/iperf.json ||
		fail "iperf3: $(tail -n 3 /tmp/iperf.json)"
	wait $server
	busy=$(bench_busy)
	ns=$(jq ".end.sum_received | .seconds * 1e9 * $1 / .bytes | round" /tmp/iperf.json) ||
		fail "iperf3: $(tail -n 3 /tmp/iperf.json)"
	for work in write send; do
		bench_row work=$work octets="$1" depth=16 mtu="$MTU" type=tcp round="$ROUND" \
			ns="$ns" busy="$busy"
	done
}
stream_served() { ss -tln | grep -q ":5201 "; }

streams()
{
	local len
	for len in "${SIZES[@]}"; do
		[ "$len" -lt 65536 ] || stream "$len"
	done
}

for ((ROUND = 1; ROUND <= ROUNDS; ROUND++)); do
	for XIW_TEST_TYPE in "${TYPES[@]}"; do
		[ "$XIW_TEST_TYPE" = tcp ] || xt_up
		for MTU in "${MTUS[@]}"; do
			say "round $ROUND: $XIW_TEST_TYPE, MTU $MTU"
			link_mtu "$MTU"
			[ "$XIW_TEST_TYPE" != tcp ] || { streams; continue; }
			crc_is
			speed_join
			messages
			speed_part
			atomics
		done
		[ "$XIW_TEST_TYPE" = tcp ] || speed_down
	done
done
bench_report verbs-speed xiw
[[ " ${TYPES[*]} " == *" siw "* ]] || exit 0
bench_faster verbs-speed siw '.work == "write" and .depth > 1' "RDMA Write is slower than siw's"
