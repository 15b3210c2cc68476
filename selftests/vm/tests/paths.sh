# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures NVMe over Fabrics on a null block device, over xiw, siw and NVMe/TCP. The paths of
# paths.tsv have delay, loss, reordering, duplication or a limited rate, and the three types take
# turns on each path. An I/O error over xiw fails the test. An I/O error over another type is only
# recorded as a result. XIW_TEST_TYPES may contain rxe, but if packets get lost, rxe warns in the
# kernel log (rxe_completer), which fails the test.
# topology: one
# kernels: newest
# rnic: soft
# timeout: 7200
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw tcp}"
ROUNDS=${XIW_TEST_ROUNDS:-1}
MTU=1500

# path_table: prints the lines of paths.tsv that match the regular expression XIW_TEST_PATHS
# (default: all)
path_table()
{
	grep -v -e '^#' -e '^path	' /lab/in/tests/paths.tsv | grep -E "${XIW_TEST_PATHS-}"
}

# path_set [NETEM...]: sets netem with the options NETEM at both ends, or removes it. The queue has
# room for all packets that TCP may have in flight
path_set()
{
	local dev
	for dev in "$DEV_A" "$DEV_B"; do
		tc qdisc del dev "$dev" root 2>/dev/null || :
		[ $# -eq 0 ] || tc qdisc add dev "$dev" root netem "$@" limit 100000 || return
	done
}

# measure RW OCTETS DEPTH: runs fio with the pattern RW (such as randread), blocks of OCTETS and
# queue depth DEPTH. Writes a row with the mean time of an I/O. With depth 1, writes two rows
# instead: the median of the completion times, and their 99th percentile. Fails if no I/O has
# completed
measure()
{
	local row=(octets="$2" depth="$3" mtu="$MTU" type="$type" round="$round") ops=0 ns
	! bench_fio "$disk" "$1" "$2" "$3" --ramp_time="${RAMP}ms" --runtime="${MS}ms" ||
		read -r ops ns < <(bench_fio_done)
	if [ "$ops" -eq 0 ]; then
		bench_row work="$path: $1" "${row[@]}" error="I/O error"
		return 1
	fi
	if [ "$3" -gt 1 ]; then
		bench_row work="$path: $1" "${row[@]}" ns=$((ns / ops)) ops="$ops"
		return
	fi
	bench_row work="$path: median of $1" "${row[@]}" ops="$ops" ns="$(completed 50)"
	bench_row work="$path: 99th percentile of $1" "${row[@]}" ops="$ops" ns="$(completed 99)"
}

# completed PERCENTILE: prints this percentile of the completion times of reads, in nanoseconds
completed() { jq ".jobs[0].read.clat_ns.percentile[\"$1.000000\"]" /tmp/fio.json; }

# measured: connects the NVMe host, and runs reads, writes and random reads until one of them fails
measured()
{
	local disk
	if ! disk=$(on_a nvme_up $trtype "$IP_B"); then
		say "$type, $path: $disk"
		bench_row work="$path: read" octets=131072 depth=64 mtu="$MTU" type="$type" \
			round="$round" error="no connection"
		return
	fi
	measure read 131072 64 && measure write 131072 64 && measure randread 4096 1 || :
}

link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	while IFS=$'\t' read -r -u 7 path rtt congestion netem; do
		# The ramp gives TCP time to grow from slow start to the rate of the path.
		MS=$(awk -v rtt="$rtt" 'BEGIN { print int(1500 + 20 * rtt) }') RAMP=$((MS / 2))
		modprobe -q "tcp_$congestion" || :
		echo "$congestion" >/proc/sys/net/ipv4/tcp_congestion_control
		ecn=2
		[[ $netem != *ecn* ]] || ecn=1
		echo $ecn >/proc/sys/net/ipv4/tcp_ecn
		for type in "${TYPES[@]}"; do
			say "round $round: $path: $type"
			trtype=$type
			[ $trtype = tcp ] || { trtype=rdma && rdma_up "$type" || fail "no $type"; }
			expect "target" on_b nvmet_up $trtype "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)"
			# shellcheck disable=SC2086 # words of netem
			path_set $netem || fail "netem $netem"
			ON_TIMEOUT=200 measured
			path_set
			expect "host gone" on_a nvme_down
			expect "target gone" on_b nvmet_down
			[ $trtype = tcp ] || { rdma_down && unload "$(rdma_module "$type")"; }
		done
	done 7< <(path_table)
done
bench_report paths xiw
failed=$(jq -r '.rows[].failed[] | select(startswith("xiw: "))' /tmp/paths.json)
[ -z "$failed" ] || fail "$failed"
