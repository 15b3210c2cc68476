# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures NVMe over Fabrics on a null block device, over xiw, siw, rxe and NVMe/TCP. The paths of
# paths.tsv have delay, loss, reordering, duplication, a limited rate, a TCP proxy or an MTU black
# hole. The types take turns on each path. An I/O error over xiw fails the test. An I/O error over
# another type is only recorded as a result.
#
# What stands between the ends (column "between" of paths.tsv):
#   -      nothing
#   proxy  a proxy, which ends the TCP connections of both ends. It passes the octets on in pieces
#          of 5,000 octets, so segments begin and end in the middle of FPDUs.
#   hole   the path drops packets of side a above 1,400 octets, and sends no ICMP message. After
#          several retransmissions, TCP uses smaller segments (tcp_mtu_probing).
# topology: one
# kernels: newest
# rnic: soft
# timeout: 7200
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw rxe tcp}"
ROUNDS=${XIW_TEST_ROUNDS:-1}
MTU=1500

# path_table: prints the lines of paths.tsv that match the regular expression XIW_TEST_PATHS
# (default: all)
path_table()
{
	grep -v -e '^#' -e '^path	' /lab/in/tests/paths.tsv | grep -E "${XIW_TEST_PATHS-}"
}

# path_set BETWEEN [NETEM...]: sets netem with the options NETEM at both ends, and sets up what
# stands BETWEEN the ends. Sets PORT, to which the host connects. The queue of netem has room for
# all packets that TCP may have in flight. If the path drops, duplicates or reorders packets, or
# limits the rate, the ends pass single segments to netem, and not packets of 64 KiB.
path_set()
{
	local between=$1 dev gso=on
	shift
	case "$between $*" in hole* | *%* | *rate*) gso=off ;; esac
	for dev in "$DEV_A" "$DEV_B"; do
		ethtool -K "$dev" tso $gso gso $gso || return
		[ $# -eq 0 ] || tc qdisc add dev "$dev" root netem "$@" limit 100000 || return
	done
	PORT=4420
	case $between in
	proxy)
		PORT=4421
		socat -b 5000 "TCP-LISTEN:$PORT,bind=$IP_B,reuseaddr,fork,nodelay" \
			"TCP:$IP_B:4420,nodelay" &
		PROXY=$!
		wait_for 10 listens $PORT || fail "socat does not listen"
		;;
	hole)
		# The veth of side b drops packets that are larger than its MTU. Side b still
		# advertises the MSS of the old MTU.
		ip link set "$DEV_B" mtu 1400
		ip route change "$IP_A" dev "$DEV_B" src "$IP_B" table 102 advmss $((MTU - 40))
		echo 1 >/proc/sys/net/ipv4/tcp_mtu_probing
		;;
	esac
}

# path_reset: removes what path_set has set
path_reset()
{
	local dev
	for dev in "$DEV_A" "$DEV_B"; do
		tc qdisc del dev "$dev" root 2>/dev/null || :
		ethtool -K "$dev" tso on gso on
	done
	[ -z "${PROXY-}" ] || { kill "$PROXY"; wait "$PROXY" || :; PROXY=; }
	echo 0 >/proc/sys/net/ipv4/tcp_mtu_probing
	link_mtu "$MTU"
	one_wires
}

# listens PORT: succeeds if a process listens on the TCP port
listens() { [ -n "$(ss -Hltn "sport = :$1")" ]; }

# unfit TYPE BETWEEN NETEM: prints why TYPE cannot run on the path. Returns an error if TYPE can run
unfit()
{
	[ "$1" = rxe ] || return
	case "$2 $3" in
	proxy*) echo "not TCP" ;;
	# Do not run rxe if packets are lost or reordered: its completer would then warn in the
	# kernel log, and the warning would fail the test.
	hole* | *loss* | *"ms "*ms*) echo "not run" ;;
	*) return 1 ;;
	esac
}

# measure RW OCTETS DEPTH: runs fio with the pattern RW (such as randread), blocks of OCTETS and
# queue depth DEPTH, on the CPUs of XIW_TEST_CPUS (default: all). Writes a row with the mean time of
# an I/O. With depth 1, writes two rows instead: the median of the completion times, and their 99th
# percentile. If fio fails or no I/O has completed, writes a row with an error, and fails
measure()
{
	local row=(octets="$2" depth="$3" mtu="$MTU" type="$type" round="$round") ops=0 ns
	! bench_fio "$disk" "$1" "$2" "$3" --ramp_time="${RAMP}ms" --runtime="${MS}ms" \
		${XIW_TEST_CPUS:+--cpus_allowed="$XIW_TEST_CPUS"} ||
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

# no_row WHY: writes a row that says why there is no result
no_row()
{
	bench_row work="$path: read" octets=131072 depth=64 mtu="$MTU" type="$type" round="$round" \
		error="$1"
}

# measured: connects the NVMe host, and measures reads, writes and random reads, in this order. If a
# measurement fails, omits the later ones.
measured()
{
	local disk
	if ! disk=$(on_a nvme_up $trtype "$IP_B" "$PORT"); then
		say "$type, $path: $disk"
		no_row "no connection"
		return
	fi
	# Write for 8 seconds before the measurement, because TCP needs several retransmission
	# timeouts to detect the black hole.
	[ "$between" != hole ] || bench_fio "$disk" write 131072 64 --runtime=8s || :
	measure read 131072 64 && measure write 131072 64 && measure randread 4096 1 || :
}

link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	while IFS=$'\t' read -r -u 7 path rtt congestion between netem; do
		# The ramp gives TCP time to grow from slow start to the rate of the path.
		MS=$(awk -v rtt="$rtt" 'BEGIN { print int(1500 + 20 * rtt) }') RAMP=$((MS / 2))
		modprobe -q "tcp_$congestion" || :
		echo "$congestion" >/proc/sys/net/ipv4/tcp_congestion_control
		ecn=2
		[[ $netem != *ecn* ]] || ecn=1
		echo $ecn >/proc/sys/net/ipv4/tcp_ecn
		for type in "${TYPES[@]}"; do
			say "round $round: $path: $type"
			! why=$(unfit "$type" "$between" "$netem") || { no_row "$why"; continue; }
			trtype=$type
			[ $trtype = tcp ] || { trtype=rdma && rdma_up "$type" || fail "no $type"; }
			expect "target" on_b nvmet_up $trtype "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)"
			# shellcheck disable=SC2086 # words of netem
			path_set "$between" $netem || fail "path $path"
			ON_TIMEOUT=200 measured
			path_reset
			expect "host gone" on_a nvme_down
			expect "target gone" on_b nvmet_down
			[ $trtype = tcp ] || { rdma_down && unload "$(rdma_module "$type")"; }
		done
	done 7< <(path_table)
done
bench_report paths xiw
