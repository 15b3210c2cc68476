# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# NVMe over Fabrics works between xiw and siw. xiw is the host over IPv4, and then the target over
# IPv6. fio compares every block.
# topology: one
# kernels: all
# rnic: soft
# timeout: 240
# not-debug: lockdep reports siw's own locks, and then it stops checking
# shellcheck shell=bash

# storage ADDRESS FAMILY: runs an NVMe target on side b at ADDRESS (FAMILY is ipv4 or ipv6), and
# verifies data from side a
storage() # ADDRESS FAMILY
{
	local disk
	expect "target at $1" on_b nvmet_up rdma "$1" 4420 "$2"
	# If data arrives directly after siw has sent its MPA Reply, siw drops TCP's notification of
	# this data. The NVMe host sends only one message and then waits for the answer, so siw
	# would never process this message. To avoid this, delay the frames of side a.
	[ "$role" = responder ] || tc qdisc add dev "$DEV_A" root netem delay 100ms
	disk=$(on_a nvme_up rdma "$1" 4420) || fail "connect: $disk"
	[ "$role" = responder ] || tc qdisc del dev "$DEV_A" root
	xiw_carries "$role"
	expect "data" on_a fio_verify "$disk" --size=4m
	expect "host gone" on_a nvme_down
	expect "target gone" on_b nvmet_down
}

# xiw_carries ROLE: checks that xiw has at least two connections, and has ROLE (initiator or
# responder) in all of them. The other ends then belong to siw: if xiw had both ends of a
# connection, it would have both roles
xiw_carries()
{
	xiw --json conn >/tmp/told.json || fail "xiw conn"
	jq -e '[.connections[] | select(.role != "listener")] | length >= 2 and
		all(.[]; .role == "'"$1"'" and .mpa_state == "full")' /tmp/told.json >/dev/null ||
		fail "not the queues of one $1: $(</tmp/told.json)"
}

# between HOST TARGET ROLE ADDRESS FAMILY: runs NVMe with the driver HOST on side a and the driver
# TARGET on side b. ROLE: role of xiw. ADDRESS and FAMILY: those of storage()
between()
{
	role=$3
	say "== host on $1, target on $2"
	expect "devices" rdma_up "$1" "$2"
	storage "$4" "$5"
	expect "devices gone" rdma_down
}

between xiw siw initiator "$IP_B" ipv4
# rdma_cm may fail if the neighbour entry has expired, so let ping renew the entry.
wait_for 10 on_a ping -c 1 -W 1 "$IP6_B"
between siw xiw responder "$IP6_B" ipv6
