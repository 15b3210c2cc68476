# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The lab can run NVMe over Fabrics over TCP and over siw, and verify the data.
# topology: one pair
# kernels: all
# rnic: soft
# timeout: 300
# not-debug: lockdep reports siw's own locks, and then it stops checking
# group: long
# shellcheck shell=bash

# storage TRTYPE ADDRESS PORT FAMILY: runs an NVMe target on side b, and verifies data from side a.
# TRTYPE: tcp or rdma. FAMILY: ipv4 or ipv6
storage() # TRTYPE ADDRESS PORT FAMILY
{
	local disk
	expect "target: $*" on_b nvmet_up "$@"
	disk=$(on_a nvme_up "$1" "$2" "$3") || fail "connect: $disk"
	say "disk $disk"
	expect "data" on_a fio_verify "$disk"
	expect "host gone" on_a nvme_down
	expect "target gone" on_b nvmet_down
}

storage tcp "$IP_B" 4420 ipv4
expect "siw on both sides" rdma_up siw
storage rdma "$IP_B" 4420 ipv4
storage rdma "$IP6_B" 4420 ipv6
