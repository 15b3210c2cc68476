# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures how much a second CPU increases the rates of xiw (CRC on) and siw (CRC off). Each side
# has two sessions of the exerciser. The first session of each side uses completion vector 0. The
# second session uses vector 1, and has the same number of connections. With two vectors, each side
# runs on both CPUs. The test fails if xiw with two vectors has less than 1.25 times the rate with
# one vector.
# topology: one
# kernels: newest
# rnic: soft
# cpus: 2
# memory: 2048
# timeout: 1200
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw}"
read -r -a CONNECTIONS <<<"${XIW_TEST_CONNECTIONS:-1 8 32}"
ROUNDS=${XIW_TEST_ROUNDS:-2}
MS=${XIW_TEST_MS:-1000}
MTU=1500

# join N: opens the sessions a1 and a2 on side a, and b1 and b2 on side b. Makes N connections
# between a1 and b1, and N connections between a2 and b2
join()
{
	local i side
	for i in 1 2; do
		for side in a b; do
			xt_open "$side$i" $side
			xt "$side$i" buf name=m size=8M
		done
	done
	joined "$1" 0 b1 a1 "$IP_B"
	joined "$1" 1 a2 b2 "$IP_A"
	for i in 1 2; do
		xt "b$i" wait ep=all state=ready "n=$1"
		xt "a$i" wait ep=all state=ready "n=$1"
	done
}

# joined N VECTOR LISTENER INITIATOR ADDRESS: makes N connections from session INITIATOR to session
# LISTENER at ADDRESS, with completion vector VECTOR. siw assigns each new QP to the transmit thread
# with the fewest QPs. Therefore one thread may get the QPs of all initiators, and another thread
# the QPs of all listeners. Only side a sends. If both sessions of side a were initiators, one
# thread might send everything. So join() lets a1 connect and a2 listen.
joined()
{
	local keys=(sq=128 rq=16 export=m export_len=1M sink=8 sink_len=1M sink_off=4M
		sink_shared=1 "vector=$2")
	xt "$3" listen "addr=$5" port=$((8000 + $2)) backlog=512 "${keys[@]}"
	xt "$4" connect "addr=$5" port=$((8000 + $2)) "n=$1" nudge=1000 "${keys[@]}"
}

# part: closes all sessions
part()
{
	local i
	for i in 1 2; do
		xt_close "a$i"
		xt_close "b$i"
	done
}

# work OP OCTETS MS SESSION...: runs OP with messages of OCTETS on the sessions concurrently, for MS
# milliseconds. Sets NS to the nanoseconds per message of all sessions together
work()
{
	local session
	for session in "${@:4}"; do
		xt_start "$session" run ep=all "op=$1" buf=m off=4M "len=$2" qd=4 "ms=$3" shared=1 \
			timeout=5000
	done
	for session in "${@:4}"; do
		xt_ends "$session" '^status=ok'
	done
	NS=$(for session in "${@:4}"; do
		sed -n 's/.* ns_per_op=\([0-9.]*\).*/\1/p' "/tmp/$session.answer"
	done | awk '{ rate += 1 / $1 } END { print 1 / rate }')
}

# measure VECTORS OP OCTETS CONNECTIONS SESSION...: runs OP with messages of OCTETS on the sessions,
# and writes a row of results. The row also contains VECTORS and CONNECTIONS
measure()
{
	work "$2" "$3" "$MS" "${@:5}"
	bench_row work="$1: $2" octets="$3" depth=4 mtu="$MTU" conns="$4" \
		type="$XIW_TEST_TYPE" round="$ROUND" ns="$NS"
}

for ((ROUND = 1; ROUND <= ROUNDS; ROUND++)); do
	for XIW_TEST_TYPE in "${TYPES[@]}"; do
		say "round $ROUND: $XIW_TEST_TYPE"
		xt_up
		link_mtu "$MTU"
		for n in "${CONNECTIONS[@]}"; do
			join "$n"
			while read -r -u 7 op octets; do
				# Run once without writing a row, because the host gives memory to
				# User-Mode Linux at first use.
				work "$op" "$octets" 500 a1 a2
				measure "1 vector" "$op" "$octets" "$n" a1
				measure "2 vectors" "$op" "$octets" $((2 * n)) a1 a2
			done 7<<-END
				write 65536
				write 64
				read 4096
				send 4096
			END
			part
		done
		speed_down
	done
done
bench_report cpus-speed xiw
# Each group has two rows: one for one vector, and one for two vectors. The number of connections on
# each vector is the same in both rows.
jq -e '[.rows[] | (.work | capture("^(?<vectors>.) vectors?: (?<op>.*)")) as $work
		| {of: [$work.op, .octets, .conns / ($work.vectors | tonumber)],
			vectors: $work.vectors, ns: .results.xiw.ns.median}]
	| group_by(.of) | map(sort_by(.vectors))
	| length > 0 and all(.[]; length == 2 and .[1].ns < 0.8 * .[0].ns)' \
	/tmp/cpus-speed.json >/dev/null || fail "a second vector brings less than a quarter"
