# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# QPs connect by the address and the QP number of their peer (the setting connect-by-number). The
# test runs cases of xiw-verbs, and unmodified programs of Debian that exchange QP numbers. In some
# cases of xiw-verbs, the driver must refuse a request.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 300
# shellcheck shell=bash

user_up

# gid_is DEVICE INDEX GID: succeeds if the GID at INDEX of DEVICE is GID
gid_is() { [ "$(gid "$1" "$2")" = "$3" ]; }
# gids_up: waits until GID 1 of each device contains the IPv4 address of its interface
gids_up()
{
	wait_for 10 gid_is "$RD_A" 1 "$(mapped "$IP_A")" || fail "GID 1 of $RD_A: $(gid "$RD_A" 1)"
	wait_for 10 gid_is "$RD_B" 1 "$(mapped "$IP_B")" || fail "GID 1 of $RD_B: $(gid "$RD_B" 1)"
}
NONE=0000:0000:0000:0000:0000:0000:0000:0000

# out_of_band TEXT PROGRAM...: runs PROGRAM as a server on side b and as a client on side a. The two
# processes exchange QP numbers over a TCP socket. The socket uses the loopback interface, because
# the TCP/IP stack of the guest cannot send packets through a PCIe RNIC. TEXT: name of the case
out_of_band()
{
	local text=$1 port=$((USER_PORT++))
	shift
	SERVER_LOG=/tmp/server-$port.log
	on_b "$@" -d "$RD_B" -p "$port" >"$SERVER_LOG" 2>&1 &
	SERVER=$!
	wait_for 20 tcp_listening "$port" || { cat "$SERVER_LOG"; fail "$text: no server"; }
	expect "$text" beside_server on_a "$@" -d "$RD_A" -p "$port" 127.0.0.1
	server_done
}

say "off, as after load"
gid_is "$RD_A" 1 $NONE || fail "GID 1 without the setting: $(gid "$RD_A" 1)"
expect "a refusal" on_a xiw-verbs "$IP_A" "$IP_B" numbers number-off

say "on"
configure connect-by-number=on startup-time=4s
gids_up
rc=0
ON_TIMEOUT=200 on_a xiw-verbs "$IP_A" "$IP_B" numbers but number-off number-unfit \
	>/tmp/numbers.log 2>&1 || rc=$?
cat /tmp/numbers.log
equal "status of xiw-verbs" 0 "$rc"
expect "IPv6" on_a xiw-verbs "$IP6_A" "$IP6_B" numbers number-either-first number-one-device \
	number-nobody number-reset
equal "CQ overflows" 0 "$(counter a cq_overflows)"
user_clean

say "connections by number need revision 2, whatever the setting"
configure mpa-revision=1 peer-to-peer=off
expect "revision 1" on_a xiw-verbs "$IP_A" "$IP_B" numbers number-either-first
configure mpa-revision=2 peer-to-peer=on
user_clean

say "an initiator that refuses the Reply"
configure_a rtr=send
configure_b rtr=write
expect "different forms of RTR" on_a xiw-verbs "$IP_A" "$IP_B" numbers number-unfit
configure rtr=write+read
user_clean

say "programs that connect out of band"
configure startup-time=10s
out_of_band "ibv_rc_pingpong" ibv_rc_pingpong -g 1 -n 200
out_of_band "ibv_rc_pingpong, events" ibv_rc_pingpong -g 1 -n 200 -e
out_of_band "ibv_srq_pingpong" ibv_srq_pingpong -g 1 -n 200 -q 4
out_of_band "ib_send_bw" ib_send_bw -F -x 1 -n 200 -s 4096
out_of_band "ib_send_lat" ib_send_lat -F -x 1 -n 200 -s 64
out_of_band "ib_write_bw" ib_write_bw -F -x 1 -n 200 -s 65536 -q 4
out_of_band "ib_read_lat" ib_read_lat -F -x 1 -n 200 -s 8
out_of_band "ib_atomic_bw" ib_atomic_bw -F -x 1 -n 200
user_clean

say "a process is killed"
hold named
told_is a 2 '[.connections[] | select(.peer_qpn and .mpa_state == "full")] | length' conn
hold_kill
user_clean

say "an address comes and goes"
ip addr add 192.0.2.73/32 dev "$DEV_A"
GIDS=/sys/class/infiniband/$RD_A/ports/1/gids
in_table() { grep -q "$1" "$GIDS"/*; }
found() { in_table "$(mapped 192.0.2.73)"; }
wait_for 10 found || fail "no GID of the new address"
gid_is "$RD_A" 1 "$(mapped "$IP_A")" || fail "GID 1 has moved: $(gid "$RD_A" 1)"
ip addr del 192.0.2.73/32 dev "$DEV_A"
lost() { ! found; }
wait_for 10 lost || fail "the GID of the removed address stays"

say "more addresses than GIDs"
# The kernel lists IPv4 addresses before IPv6 addresses, and the table has 30 slots.
ip6=$(gid "$RD_A" 2)
[ "${ip6%%:*}" != 0000 ] || fail "GID 2 of $RD_A is no IPv6 address: $ip6"
for ((i = 1; i <= 40; i++)); do
	echo "addr add 192.0.2.$i/32 dev $DEV_A"
done | ip -batch -
# 27 or 28 of the new addresses fit. The rest wait for free slots.
full() { ! grep -q "$NONE" "$GIDS"/{1..30}; }
wait_for 10 full || fail "the table is not full"
in_table "$ip6" || fail "the GID $ip6 is lost"
for ((i = 1; i <= 40; i++)); do
	echo "addr del 192.0.2.$i/32 dev $DEV_A"
done | ip -batch -
gone() { ! in_table "$(mapped 192.0.2.40)" && ! full; }
wait_for 10 gone || fail "GIDs of the removed addresses stay"
in_table "$ip6" || fail "the GID $ip6 is lost"

say "off again"
configure connect-by-number=off
wait_for 10 gid_is "$RD_A" 1 $NONE || fail "GID 1 stays: $(gid "$RD_A" 1)"
user_clean

say "the devices go while QPs wait"
! rnic_pci || exit 0
configure connect-by-number=on
gids_up
hold named
expect "$RD_A goes" within 20 rdma link del "$RD_A"
expect "$RD_B goes" within 20 rdma link del "$RD_B"
hold_kill
