# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures the cost of encryption for NVMe over Fabrics on a null block device. xiw and NVMe/TCP run
# without encryption and over each layer that encrypts. The layers take turns in one boot. NVMe/TCP
# has no value for TLS if the kernel lacks TLS for NVMe/TCP (CONFIG_NVME_TCP_TLS).
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
	local security='' options=() encrypted sockets
	if [ "$type-$2" = tls-tcp ]; then
		security=tls1.3 options=(--tls)
		expect "key" nvme_psk
	fi
	expect "target" nvmet_up "$2" "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)" $security
	disk=$(nvme_up "$2" "$IP_B" 4420 "${options[@]}") || fail "connect: $disk"
	read -r encrypted sockets < <(tls_sockets 4420)
	[ "$sockets" -ge 4 ] || fail "$sockets sockets for the ends of two queues"
	equal "sockets with TLS" "$([ "$type" = tls ] && echo "$sockets" || echo 0)" "$encrypted"
	bench_ios "$disk" "$1: "
	expect "host gone" nvme_down
	expect "target gone" nvmet_down
}

# Load the AES code that uses instructions of the CPU. On a real machine, udev loads this code.
modprobe -q aesni-intel || :
tls_aes128
modprobe -q nvme-keyring || say "no TLS for NVMe/TCP"
link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	for type in "${LAYERS[@]}"; do
		say "round $round: $type"
		layer_up "$type"
		if [ "$type" != tls ] || loaded nvme-keyring; then measured NVMe/TCP tcp; fi
		expect "devices" rdma_up xiw
		layer_set "$type"
		measured xiw rdma
		rdma_down && unload xiw
		layer_down "$type"
	done
done
bench_report encrypted-speed none
