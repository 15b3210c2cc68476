# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# What a second CPU brings, over xiw (CRC on) and siw (CRC off). One session of the exerciser uses
# vector 0 at both ends; with a second session, which uses vector 1, twice as many connections
# work. Both CPUs belong to both ends of the connections.
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

# join N: opens two sessions with N connections each
join()
{
	local i side
	for i in 1 2; do
		for side in a b; do
			xt_open "$side$i" $side
			xt "$side$i" buf name=m size=8M
		done
		xt "b$i" listen "addr=$IP_B" port=$((8000 + i)) backlog=512 export=m export_len=1M \
			sq=128 rq=16 sink=8 sink_len=1M sink_off=4M sink_shared=1 vector=$((i - 1))
		xt "a$i" connect "addr=$IP_B" port=$((8000 + i)) "n=$1" sq=128 nudge=1000 \
			vector=$((i - 1))
		xt "b$i" wait ep=all state=ready "n=$1"
	done
}

part()
{
	local i
	for i in 1 2; do
		xt_close "a$i"
		xt_close "b$i"
	done
}

# work OP OCTETS MS SESSION...: runs OP on the sessions concurrently; sets NS to the mean time of an
# operation
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

# measure VECTORS OP OCTETS CONNECTIONS SESSION...: measures the sessions, and writes a row
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
				# The host gives memory to User-Mode Linux at first use.
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
