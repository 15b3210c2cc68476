# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures the cost of encryption for NVMe over Fabrics on a null block device. xiw and NVMe/TCP run
# without encryption and over each layer that encrypts. The layers take turns in one boot. NVMe/TCP
# has no row for TLS, because the test does not set up the pre-shared key that NVMe/TCP needs for
# TLS.
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

# measured CARRIER TRTYPE: connects the NVMe host over TRTYPE (rdma or tcp), and measures its I/O.
# CARRIER: prefix for the names of the rows
measured()
{
	expect "target" nvmet_up "$2" "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)"
	disk=$(nvme_up "$2" "$IP_B") || fail "connect: $disk"
	bench_ios "$disk" "$1: "
	expect "host gone" nvme_down
	expect "target gone" nvmet_down
}

# Load the AES code that uses instructions of the CPU. On a real machine, udev loads this code.
modprobe -q aesni-intel || :
link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	for type in "${LAYERS[@]}"; do
		say "round $round: $type"
		layer_up "$type"
		[ "$type" = tls ] || measured NVMe/TCP tcp
		expect "devices" rdma_up xiw
		layer_set "$type"
		measured xiw rdma
		rdma_down && unload xiw
		layer_down "$type"
	done
done
bench_report encrypted-speed none
