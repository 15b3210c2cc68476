# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# libfabric's verbs provider works on xiw. The test runs libfabric's ping-pong over message
# endpoints and over rxm. It also runs the program of selftests/fabric, which uses messages, RMA and
# atomics.
# topology: one
# kernels: all
# disk: programs
# timeout: 400
# shellcheck shell=bash

user_up
PINGPONG=47592	# port of fi_pingpong's control connection, plain TCP
frames() { counter a tx_pkts; }

say "messages, RMA, atomics"
on_a xiw-fabric "$IP_B" $((USER_PORT++)) | tee /tmp/fabric || fail "$(cat /tmp/fabric)"
equal "parts" "messages rma atomics refused" "$(sed -n 's/^ok //p' /tmp/fabric | xargs)"
# libfabric 2.1 supports no immediate data on iWARP, even if the device does.
grep "^provider verbs on $RD_A, remote CQ data of 0 octets" /tmp/fabric ||
	fail "another provider: $(cat /tmp/fabric)"

# A PCIe RNIC carries only iWARP, so the control connection uses the loopback interface.
ip rule add pref 7 iif lo to "$IP_B" ipproto tcp dport $PINGPONG lookup local
# ping_pong PROVIDER KIND: runs fi_pingpong with endpoints of KIND (msg or rdm), and checks that the
# device of side a has sent frames
ping_pong() # PROVIDER KIND
{
	local server before
	before=$(frames)
	say "ping-pong: $1, $2"
	fi_pingpong -p "$1" -e "$2" -I 20 >/tmp/pong.log 2>&1 &
	server=$!
	wait_for 30 tcp_listening $PINGPONG || fail "no server: $(cat /tmp/pong.log)"
	expect "the client" within 120 fi_pingpong -p "$1" -e "$2" -I 20 "$IP_B"
	wait $server || fail "the server: $(cat /tmp/pong.log)"
	[ "$(frames)" -gt $((before + 100)) ] || fail "that was not over $RD_A"
}
ping_pong verbs msg
ping_pong "verbs;ofi_rxm" rdm
ip rule del pref 7
user_clean
