# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The size of FPDUs follows the path's MTU, up and down, while data moves. Even if the MTU is odd,
# TCP segments begin with an FPDU, and an skb contains several FPDUs. [M-SIZE-002] [M-DDP-002]
# [D-LLP-001] [D-LLP-002]
# topology: one
# kernels: all
# rnic: soft
# timeout: 150
# shellcheck shell=bash

xt_up
xt_pair
xt_listen

# sent: prints how many skbs the interface of side a has sent; mulpdu: prints the MULPDUs of the
# connections of side a
sent() { on_a cat "/sys/class/net/$DEV_A/statistics/tx_packets"; }
mulpdu() { told a '.connections[] | select(.role == "initiator") | .mulpdu' conn "$RD_A"; }
# path_mtu A B: sets the MTUs of both routes, as a router on the path would do. A is the MTU from
# side a to side b, and B is the MTU from side b to side a. An empty A or B removes the limit
path_mtu() # A B
{
	ip route replace "$IP_B" dev "$DEV_A" src "$IP_A" table 101 ${1:+mtu "$1"}
	ip route replace "$IP_A" dev "$DEV_B" src "$IP_B" table 102 ${2:+mtu "$2"}
}

# mix: runs Writes, Reads and atomics over EP_A, and compares the data
mix()
{
	local len
	for len in 1 1428 20011; do
		xt a run "ep=$EP_A" op=write buf=m off=4M "len=$len" qd=8 count=24 verify=1
		xt b fill buf=m len=1M seed=5
		xt a run "ep=$EP_A" op=read buf=m off=4M "len=$len" qd=8 count=24 verify=1 seed=5
	done
	xt a run "ep=$EP_A" op=fetchadd buf=m off=4M qd=8 count=50 raddr="$WORD"
}

# follows MTU HEADERS: sets the MTU of the link to MTU, and makes a connection. Checks the MULPDU of
# the connection, how many FPDUs are split between two skbs, and how many FPDUs an skb contains.
# HEADERS: octets of a packet before the FPDU
follows()
{
	local mtu=$1 mss=$(($1 - $2)) staged fpdus skbs
	link_mtu "$mtu"
	xt_join
	xt b query "ep=$EP_B"
	WORD=$((${XT[our_addr]} + 1015 * 1024))
	mix
	[ "$(mulpdu)" -le $((mss - 6 - mss % 4)) ] || fail "MTU $mtu: MULPDU $(mulpdu)"
	[ "$(mulpdu)" -ge $((mss - 12)) ] || fail "MTU $mtu: MULPDU $(mulpdu)"

	staged=$(counter b rx_staged) fpdus=$(counter a tx_pkts) skbs=$(sent)
	xt a run "ep=$EP_A" op=write buf=m off=4M len=60000 qd=1 count=40
	staged=$(($(counter b rx_staged) - staged))
	fpdus=$(($(counter a tx_pkts) - fpdus)) skbs=$(($(sent) - skbs))
	say "MTU $mtu: MULPDU $(mulpdu), $fpdus FPDUs in $skbs skbs, $staged in two pieces"
	[ $((staged * 20)) -le "$fpdus" ] || fail "MTU $mtu: $staged of $fpdus FPDUs are in two pieces"
	# With an MTU of 9000, even an skb of 64 KiB has room for only seven FPDUs. So require only
	# 2.5 FPDUs per skb on average.
	[ $((fpdus * 10)) -ge $((skbs * 25)) ] || fail "MTU $mtu: $fpdus FPDUs in $skbs skbs"
	xt_part
}

# The headers of IPv4 and TCP, with timestamps, have 52 octets. Tunnels use MTUs such as 1450 and
# 1442, and a cloud uses 9001. 576 octets is the size of a packet that every IPv4 host must accept.
for mtu in 1500 1499 1450 1442 1281 9000 9001 576; do
	follows $mtu 52
done
xt b close ep=all

say "IPv6"
link_mtu 1450
# The MTU of 576 has removed the IPv6 addresses.
ip -6 addr replace "$IP6_A/64" dev "$DEV_A" nodad
ip -6 addr replace "$IP6_B/64" dev "$DEV_B" nodad
ip -6 route replace "$IP6_B" dev "$DEV_A" src "$IP6_A" table 101
ip -6 route replace "$IP6_A" dev "$DEV_B" src "$IP6_B" table 102
wait_for 10 on_a ping -c 1 -W 1 "$IP6_B"
IP4_B=$IP_B IP_B=$IP6_B
xt_listen
follows 1450 72
follows 1500 72
xt b close ep=all
IP_B=$IP4_B

say "changes while data moves"
link_mtu 9000
xt_listen
xt_join
xt a connect "addr=$IP_B" "port=$XT_PORT" export=m export_len=1M
back_a=${XT[ep]}
xt b wait ep=all state=ready n=2
back_b=${XT[ep]}
# moving CMD...: runs CMD during Writes in both directions, and checks that these Writes and later
# Writes succeed
moving()
{
	local pids=() pid
	say "$*"
	(xt_try a run "ep=$EP_A,$back_a" op=write buf=m off=4M len=20000 qd=4 ms=1500 verify=1 ||
		{ say "writes: ${XT[0]}"; exit 1; }) &
	pids+=($!)
	(xt_try b run "ep=$back_b" op=write buf=m off=4M len=20000 qd=4 ms=1500 verify=1 ||
		{ say "writes of b: ${XT[0]}"; exit 1; }) &
	pids+=($!)
	"$@"
	for pid in "${pids[@]}"; do wait "$pid" || fail "$*: a stream ended"; done
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=4 count=16 verify=1
	xt b run "ep=$back_b" op=write buf=m off=4M len=20011 qd=4 count=16 verify=1
}
moving path_mtu 1300 ''
[ "$(mulpdu | head -n 1)" -le 1248 ] || fail "the MULPDU did not follow: $(mulpdu)"
moving path_mtu 1300 1299
moving path_mtu '' 1299
moving path_mtu '' ''
[ "$(mulpdu | head -n 1)" -ge 8000 ] || fail "the MULPDU did not grow again: $(mulpdu)"
moving link_mtu 1500
moving link_mtu 1281
moving link_mtu 9000
frames_sound
for side in a b; do
	xt $side query
	xt_is qp_events ''
done
xt a close ep=all
xt b wait ep=all state=disconnected n=2
xt b close ep=all
xiw_clean
