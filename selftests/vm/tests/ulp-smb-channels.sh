# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SMB multichannel uses two links, and both links carry data. When the device of the second link is
# deleted, the first link carries all data.
# topology: pair
# kernels: stable newest
# modules: ulps
# rnic: soft
# timeout: 300
# group: long
# shellcheck shell=bash

FILE=$SMB_MNT/file
SECOND_A=10.73.0.1 SECOND_B=10.73.0.2

# carried DEVICE: prints how many octets the connections of DEVICE, on side a, have sent and
# received
carried()
{
	xiw --json conn "$1" | jq '[.connections[] | select(.role == "initiator") |
		.rx_bytes + .tx_bytes] | add // 0'
}
more_than() { [ "$(carried "$1")" -gt "$2" ]; }

expect "devices" rdma_up xiw
modprobe 8021q
on_b modprobe 8021q
expect "second link of a" vlan_up $SECOND_A xiwva
expect "second link of b" on_b vlan_up $SECOND_B xiwvb
# ksmbd announces all addresses but listens only on IPv4. So remove the IPv6 address.
on_b ip addr del "$IP6_B/64" dev "$DEV_B"
expect "server" on_b smb_up "server multi channel support = yes"
expect "mount" smb_mount "$IP_B" hard,echo_interval=4,multichannel,max_channels=2
wait_for 20 smb_shown "Extra Channels: 1" || { cat $SMB_DEBUG; fail "no second channel"; }
cat $SMB_DEBUG
smb_shown "Capabilities: rdma" || fail "no interface with RDMA"
first=$(carried "$RD_A") second=$(carried xiwva)
expect "a file" fio_mixed $FILE
more_than "$RD_A" $((first + 1000000)) || fail "the first link carries nothing"
more_than xiwva $((second + 1000000)) || fail "the second link carries nothing"
say "the second link goes"
verified_during $FILE rdma link del xiwva
expect "the client" smb_client_down
expect "the server" on_b smb_down
expect "the second link of a" vlan_down
expect "the second link of b" on_b vlan_down
ulp_clean
