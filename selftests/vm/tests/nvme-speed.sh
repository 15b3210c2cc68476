# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# NVMe over Fabrics on a null block device: over xiw (CRC on), siw (CRC off) and
# NVMe/TCP (no digests), A/B/C/A/B/C in one boot; see verbs-speed.
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 1800
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw tcp}"
MTU=${XIW_TEST_MTU:-1500}
ROUNDS=${XIW_TEST_ROUNDS:-3}
MS=${XIW_TEST_MS:-400}

# measure RW OCTETS DEPTH: a row by fio
measure()
{
	local row=(work="$1" octets="$2" depth="$3" mtu="$MTU" type="$type" round="$round") ns ops
	if ! within 100 fio --name=speed --filename="$disk" --direct=1 --ioengine=libaio \
		--rw="$1" --bs="$2" --iodepth="$3" --size=128m --time_based --runtime="${MS}ms" \
		--norandommap --randrepeat=1 --output-format=json >/tmp/fio.json 2>/tmp/fio.err; then
		tail -n 3 /tmp/fio.err
		bench_row "${row[@]}" error="fio"
		return
	fi
	ops=$(jq '.jobs[0] | (.read.total_ios + .write.total_ios)' /tmp/fio.json)
	ns=$(jq '.jobs[0] | [.read.runtime, .write.runtime] | max * 1000000' /tmp/fio.json)
	bench_row "${row[@]}" ns=$((ns / ops)) ops="$ops"
}

link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	for type in "${TYPES[@]}"; do
		say "round $round: $type"
		trtype=rdma
		if [ "$type" = tcp ]; then trtype=tcp; else rdma_up "$type" || fail "no $type"; fi
		expect "target" on_b nvmet_up $trtype "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)"
		disk=$(on_a nvme_up $trtype "$IP_B") || fail "connect: $disk"
		measure read 131072 16
		measure write 131072 16
		measure randread 4096 16
		measure randread 4096 1
		expect "host gone" on_a nvme_down
		expect "target gone" on_b nvmet_down
		[ "$type" = tcp ] || { rdma_down && unload "$type"; }
	done
done
bench_report nvme-speed xiw
[ "${TYPES[*]}" = "xiw siw tcp" ] || exit 0
bench_faster nvme-speed siw '.work == "read"' "NVMe-oF reads are slower than over siw"
