# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures NVMe over Fabrics on a null block device, over xiw (CRC on), siw (CRC off), NVMe/TCP, and
# NVMe/TCP with header and data digests. The digests use the same CRC as MPA. The four types take
# turns in one boot, as in the test verbs-speed. The test fails if reads over xiw are slower than
# over siw.
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 1800
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw tcp tcp_digest}"
MTU=${XIW_TEST_MTU:-1500}
ROUNDS=${XIW_TEST_ROUNDS:-2}
MS=${XIW_TEST_MS:-100}

# DIGESTS: a capture filter for Initialize Connection Responses (ICResp, PDU type 1) that have both
# digest bits set in the twelfth octet. Such a response shows that both ends use digests.
DIGESTS='tcp src port 4420 and tcp[(tcp[12] & 0xf0) >> 2] = 1 and tcp[((tcp[12] & 0xf0) >> 2) + 11] = 3'

# host_up: connects the NVMe host of side a for $type, and sets disk to the block device. For
# tcp_digest, checks that both ends use digests
host_up()
{
	case $type in
	tcp_digest)
		capture digests.pcap "$DIGESTS"
		disk=$(on_a nvme_up tcp "$IP_B" 4420 --hdr-digest --data-digest) || return
		captured
		say "queues with digests: ${COUNTS[0]}"
		[ "${COUNTS[0]}" -ge 2 ] || fail "no digests" ;;
	tcp) disk=$(on_a nvme_up tcp "$IP_B") ;;
	*) disk=$(on_a nvme_up rdma "$IP_B") ;;
	esac
}

link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	for type in "${TYPES[@]}"; do
		say "round $round: $type"
		trtype=${type%%_*}
		[ $trtype = tcp ] || { trtype=rdma && rdma_up "$type" || fail "no $type"; }
		expect "target" on_b nvmet_up $trtype "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)"
		host_up || fail "connect: $disk"
		bench_ios "$disk"
		expect "host gone" on_a nvme_down
		expect "target gone" on_b nvmet_down
		[ $trtype = tcp ] || { rdma_down && unload "$type"; }
	done
done
bench_report nvme-speed xiw
[[ " ${TYPES[*]} " == *" siw "* ]] || exit 0
bench_faster nvme-speed siw '.work == "read"' "NVMe-oF reads are slower than over siw"
