# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures latency and rate of small messages from user space by Debian's perftest. xiw (CRC on),
# siw (CRC off) and rxe take turns in one boot. perftest uses completion events, because a process
# that polls would occupy the only CPU. A Write does not notify its target, so the programs of
# perftest for Writes must poll and are omitted.
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 1800
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw rxe}"
read -r -a SIZES <<<"${XIW_TEST_SIZES:-64 4096}"
MTU=${XIW_TEST_MTU:-1500}
ROUNDS=${XIW_TEST_ROUNDS:-2}
COUNT=${XIW_TEST_COUNT:-2000}

# perftest PROGRAM OPTION...: runs PROGRAM at both ends. Sets the array LINE to the columns of its
# result; returns an error if the client fails
perftest()
{
	local port=$((USER_PORT++))
	server_up "$port" within 30 "$@" -e -R -F -d "$RD_B" -p "$port"
	if on_a within 20 "$@" -e -R -F -d "$RD_A" -p "$port" "$IP_B" >/tmp/perftest.out 2>&1; then
		wait "$SERVER" || fail "server: $(tail -n 3 "$SERVER_LOG")"
		read -r -a LINE < <(grep -E '^ *[0-9]+ +[0-9]+ +[0-9.]+ ' /tmp/perftest.out)
		[ "${#LINE[@]}" -ge 5 ] || fail "no result: $(tail -n 5 /tmp/perftest.out)"
		return
	fi
	tail -n 3 /tmp/perftest.out "$SERVER_LOG"
	server_stop
	return 1
}

# micros N, rate N: print the nanoseconds of one operation, calculated from column N of LINE; the
# first column is 0. For micros, the column has microseconds. For rate, it has millions of messages
# per second
micros() { jq -n "${LINE[$1]} * 1000 | round"; }
rate() { jq -n "1000 / ${LINE[$1]} | round"; }

# latency WORK OCTETS PROGRAM OPTION...: writes a row WORK with the typical latency of PROGRAM,
# which is the median
latency()
{
	local row=(work="$1" octets="$2" depth=1 mtu="$MTU" type="$type" round="$round")
	if perftest "${@:3}" -n "$COUNT"; then
		bench_row "${row[@]}" ns="$(micros 4)"
	else
		bench_row "${row[@]}" error="${*:3:1}"
	fi
}

# rates WORK OCTETS PROGRAM OPTION...: writes a row WORK with the message rate of PROGRAM. The queue
# depth is 128, the default of perftest, or 16 for operations with responses
rates()
{
	local row=(work="$1" octets="$2" depth=128 mtu="$MTU" type="$type" round="$round")
	[ "$1" = send ] || row[2]=depth=16
	if perftest "${@:3}" -n $((COUNT * 4)); then
		bench_row "${row[@]}" ns="$(rate 4)"
	else
		bench_row "${row[@]}" error="${*:3:1}"
	fi
}

user_provider
link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	for type in "${TYPES[@]}"; do
		say "round $round: $type"
		expect "devices" rdma_up "$type"
		for octets in "${SIZES[@]}"; do
			latency send "$octets" ib_send_lat -s "$octets"
			rates send "$octets" ib_send_bw -s "$octets"
			latency read "$octets" ib_read_lat -s "$octets" -o 1
			rates read "$octets" ib_read_bw -s "$octets" -o 16 -t 16
		done
		if [ "$type" != siw ]; then
			latency fetchadd 8 ib_atomic_lat -A FETCH_AND_ADD -o 1
			rates fetchadd 8 ib_atomic_bw -A FETCH_AND_ADD -o 16 -t 16
		fi
		rdma_down
		unload "$(rdma_module "$type")"
	done
done
bench_report small-speed xiw
