# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures the cost of more connections and of more registered memory, over xiw (CRC on) and siw
# (CRC off). The test measures the throughput of 1 to 256 connections, the cost of messages while 1
# to 100,000 STags are valid, the time to connect and to close, and the memory of idle connections.
# With --icount, each instruction of either end counts as a nanosecond (docs/performance.md).
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 3600
# memory: 4096
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw}"
read -r -a CONNECTIONS <<<"${XIW_TEST_CONNECTIONS:-1 4 16 64 256}"
read -r -a STAGS <<<"${XIW_TEST_STAGS:-1 100 10000 100000}"
IDLE=${XIW_TEST_IDLE:-1000}
MTU=${XIW_TEST_MTU:-1500}
ROUNDS=${XIW_TEST_ROUNDS:-1}
MS=${XIW_TEST_MS:-20}
GROUP=100	# idle connections that group() makes at once; each group has its own sessions

# connections: measures 1 to 256 connections, each with four operations outstanding. Operations that
# are outstanding when the time is over still complete and count.
connections()
{
	local n
	for n in "${CONNECTIONS[@]}"; do
		speed_join "$n" sink=8 rq=16
		speed write 65536 4 "$MS"
		speed write 64 4 "$MS"
		speed read 4096 4 "$MS"
		speed_part
	done
}

# stags: measures messages while side b has 1 to 100,000 valid STags. The messages use some of these
# STags, spread from the first to the last.
stags()
{
	local n more rkeys rkey have=1
	speed_join
	for n in "${STAGS[@]}"; do
		rkeys=() more=$((n - have))
		if [ $more -gt 0 ]; then
			# All regions have the same address.
			xt b regs "n=$more" buf=m len=4K iova=16M
			IFS=, read -r -a rkeys <<<"${XT[rkeys]}"
			have=$n
		fi
		for rkey in "${rkeys[@]:-}"; do
			SPEED_KEYS=()
			[ -z "$rkey" ] || SPEED_KEYS=("rkey=$rkey" "raddr=${XT_STAG_ADDR:=${XT[addr]}}")
			speed write 64 16 "$MS" "stags=$n"
			speed read 64 16 "$MS" "stags=$n"
		done
	done
	SPEED_KEYS=()
	XT_STAG_ADDR=
	speed_part
}

# free_kib: frees the caches, and prints the free memory in KiB
free_kib()
{
	local word kib rest
	sync
	echo 3 >/proc/sys/vm/drop_caches
	while read -r word kib rest; do
		[ "$word" != MemFree: ] || echo "$kib"
	done </proc/meminfo
}

# idle_row NAME CONNECTIONS KEY=VALUE: writes the result KEY=VALUE of NAME (connect, idle or close)
# with CONNECTIONS connections
idle_row()
{
	bench_row work="$1" octets=0 depth=64 mtu="$MTU" conns="$2" type="$XIW_TEST_TYPE" \
		round="$ROUND" "$3"
}

# group N: makes N idle connections. Sets TOOK to the duration in microseconds. Returns an error if
# a connection fails
group()
{
	local start
	speed_listen "$GROUPS_UP"
	start=${EPOCHREALTIME/./}
	speed_connect "$GROUPS_UP" "$1" || return
	TOOK=$((${EPOCHREALTIME/./} - start))
	GROUPS_UP=$((GROUPS_UP + 1))
}

# idle: measures idle connections. Writes rows for 1,000 connections, for each further power of ten,
# and for IDLE connections. The rows "connect" and "idle" do not count the first group, because it
# causes one-time allocations.
idle()
{
	local next=1000 n=0 sum=0 before own side i start
	GROUPS_UP=0
	group "$GROUP" || fail "no connections: ${XT[0]}"
	before=$(free_kib)
	while [ $n -lt "$IDLE" ]; do
		if ! group "$GROUP"; then
			say "$XIW_TEST_TYPE stops at $((n + GROUP)) connections: ${XT[0]}"
			idle_row idle "$next" error="${XT[errno]:-hangs}"
			break
		fi
		n=$((n + GROUP)) sum=$((sum + TOOK))
		[ $n -eq $next ] || [ $n -ge "$IDLE" ] || continue
		xt a0 stat
		own=$((2 * n * ${XT[ep_octets]} / 1024))
		idle_row connect $n ns=$((sum * 1000 / n))
		idle_row idle $n kib="$(jq -n "($before - $(free_kib) - $own) / $n")"
		next=$((next * 10))
	done
	start=${EPOCHREALTIME/./}
	for ((i = GROUPS_UP; i >= 0; i--)); do
		for side in a b; do
			[ -z "${XT_SIDE[$side$i]-}" ] || xt_close "$side$i"
		done
	done
	idle_row close $n ns=$(((${EPOCHREALTIME/./} - start) * 1000 / (n + GROUP)))
}

for ((ROUND = 1; ROUND <= ROUNDS; ROUND++)); do
	for XIW_TEST_TYPE in "${TYPES[@]}"; do
		say "round $ROUND: $XIW_TEST_TYPE"
		xt_up
		link_mtu "$MTU"
		connections
		stags
		idle
		speed_down
	done
done
bench_report growth xiw
