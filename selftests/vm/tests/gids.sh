# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# GID 0 of a device is the link-local form of its GUID. SRP derives names from GID 0. Each device
# has its own GID 0, and a new MAC address does not change it. rdma_cm still finds the device after
# the MAC address has changed. On old kernels, rdma_cm finds the device by its last GID, which
# contains the MAC address.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair

# gid DEVICE INDEX, guid DEVICE, mac NETDEV: print a GID, the GUID or a MAC address without colons
gid() { tr -d ':\n' <"/sys/class/infiniband/$1/ports/1/gids/$2"; }
guid() { tr -d ':\n' <"/sys/class/infiniband/$1/node_guid"; }
mac() { tr -d ':\n' <"/sys/class/net/$1/address"; }
# eui MAC MIDDLE: prints the modified EUI-64 of MAC with the 16 bits MIDDLE in its middle. All
# values are hexadecimal, without colons
eui() { printf '%02x%s%s%s' $((0x${1:0:2} ^ 2)) "${1:2:4}" "$2" "${1:6}"; }
# has_mac DEVICE NETDEV: succeeds if the last GID (31) of DEVICE contains the MAC address of NETDEV
has_mac() { [ "$(gid "$1" 31)" = "$(mac "$2")00000000000000000000" ]; }

works()
{
	xt_listen
	xt_join
	xt_part
	xt b close "ep=$LISTENER"
}

say "GIDs of two links"
for end in "$RD_A $DEV_A" "$RD_B $DEV_B"; do
	read -r device netdev <<<"$end"
	own=$(eui "$(mac "$netdev")" fffe)
	equal "GUID of $device" "$own" "$(guid "$device")"
	equal "GID 0 of $device" "fe80000000000000$own" "$(gid "$device" 0)"
	has_mac "$device" "$netdev" || fail "GID 31 of $device: $(gid "$device" 31)"
done
[ "$(gid "$RD_A" 0)" != "$(gid "$RD_B" 0)" ] || fail "the links share GID 0"
works

say "the MAC address changes"
before=$(gid "$RD_A" 0)
ip link set "$DEV_A" address 02:00:00:00:73:06
wait_for 10 has_mac "$RD_A" "$DEV_A" || fail "GID 31: $(gid "$RD_A" 31)"
equal "GID 0" "$before" "$(gid "$RD_A" 0)"
ip neigh flush dev "$DEV_A"
ip neigh flush dev "$DEV_B"
wait_for 20 ping -c 1 -W 1 "$IP_B"
wait_for 20 ping -c 1 -W 1 "$IP_A"
works

if ip link add link "$DEV_B" name vlan73 type vlan id 73; then
	say "a VLAN, which has the MAC address of its interface"
	ip link set vlan73 up
	expect "a link over it" rdma_link xiw xiwv vlan73
	equal "GUID" "$(eui "$(mac vlan73)" 0049)" "$(guid xiwv)"
	equal "GID 0" "fe80000000000000$(guid xiwv)" "$(gid xiwv 0)"
	expect "the link goes" within 20 rdma link del xiwv
	ip link del vlan73
fi

if load tun && ip tuntap add dev tun73 mode tun && ip tuntap add dev tun74 mode tun; then
	say "two tunnels, which have no MAC address"
	expect "the first link" rdma_link xiw xiwt tun73
	expect "the second link" rdma_link xiw xiwu tun74
	first=$(guid xiwt)
	[ "$first" != "$(guid xiwu)" ] || fail "both links have the GUID $first"
	[[ $first == 00????fffe?????? ]] || fail "GUID $first"
	expect "the first link goes" within 20 rdma link del xiwt
	expect "the first link again" rdma_link xiw xiwt tun73
	equal "GUID of the first link" "$first" "$(guid xiwt)"
	say "a new tunnel with the old name of another tunnel"
	ip link set tun73 name tun75
	ip tuntap add dev tun73 mode tun
	expect "a third link" rdma_link xiw xiww tun73
	equal "GUID of the third link" "${first:0:6}fffd${first:10}" "$(guid xiww)"
	for link in xiwt xiwu xiww; do
		expect "$link goes" within 20 rdma link del $link
	done
	for tunnel in tun73 tun74 tun75; do ip link del $tunnel; done
fi
xiw_clean
