# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# What encryption costs: NVMe over Fabrics on a null block device, over xiw and over NVMe/TCP, in
# the clear and over each layer that encrypts. The layers take turns in one boot. NVMe/TCP has no
# row for TLS: it needs a pre-shared key, and the guests' nvme-cli cannot store one.
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 2400
# group: bench
# shellcheck shell=bash

read -r -a LAYERS <<<"${XIW_TEST_LAYERS:-none tls esp macsec wireguard}"
ROUNDS=${XIW_TEST_ROUNDS:-2}
MS=${XIW_TEST_MS:-200}
MTU=1500

# measure CARRIER RW OCTETS DEPTH: runs fio and writes a row with the result
measure()
{
	local row=(work="$1: $2" octets="$3" depth="$4" mtu="$MTU" type="$layer" round="$round")
	local ns ops idle
	bench_begin
	if ! bench_fio "$disk" "$2" "$3" "$4" --runtime="${MS}ms"; then
		bench_row "${row[@]}" error="fio"
		return
	fi
	idle=$(bench_idle)
	read -r ops ns < <(bench_fio_done)
	bench_row "${row[@]}" ns=$((ns / ops)) ops="$ops" idle="$idle"
}

# measured CARRIER TRTYPE: connects the host, and measures
measured()
{
	expect "target" nvmet_up "$2" "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)"
	disk=$(nvme_up "$2" "$IP_B") || fail "connect: $disk"
	measure "$1" read 131072 16
	measure "$1" write 131072 16
	measure "$1" randread 4096 16
	measure "$1" randread 4096 1
	expect "host gone" nvme_down
	expect "target gone" nvmet_down
}

link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	for layer in "${LAYERS[@]}"; do
		say "round $round: $layer"
		layer_up "$layer"
		[ "$layer" = tls ] || measured NVMe/TCP tcp
		expect "devices" rdma_up xiw
		layer_set "$layer"
		measured xiw rdma
		rdma_down && unload xiw
		layer_down "$layer"
	done
done
bench_report encrypted-speed none
