# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The settings markers and crc choose the framing of FPDUs, and ULPs do not notice the framing.
# Markers may be on in either direction. FPDUs have a CRC if at least one end requests it, and no
# CRC if neither end requests it. [M-CRC-004] [M-CRC-005] [M-CRC-006] [M-FPDU-006] [M-CONN-007]
# [M-CONN-008] [M-MARK-004] [M-MARK-010] [M-MARK-011] The test compares the data of each operation,
# and Wireshark checks the captures.
# topology: one pair
# kernels: all
# rnic: soft
# timeout: 150
# after: wire
# shellcheck shell=bash

xt_up
xt_pair
tcp_calm

# every_op LEN...: for each length LEN in octets, runs a Send, a Write with Immediate and a Read
# over EP_A and EP_B, and compares each octet
every_op()
{
	local len seed=0
	for len; do
		seed=$((seed + 1))
		xt a fill buf=m "len=$len" "seed=$seed"
		xt b fill buf=m off=2M len=128K byte=170
		xt b recv "ep=$EP_B" buf=m off=2M "len=$len" n=2 stride=0
		xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m "len=$len"
		xt_wc SUCCESS b wc "ep=$EP_B"
		xt_is byte_len "$len"
		xt b check buf=m off=2M "len=$len" "seed=$seed" pos=0
		xt b fill buf=m len=128K byte=170
		xt_wc SUCCESS a wr "ep=$EP_A" op=write_imm buf=m "len=$len" "imm=$seed"
		xt_wc SUCCESS b wc "ep=$EP_B"
		xt_is op RECV_RDMA_WITH_IMM
		xt_is imm "$(printf '0x%08x' $seed)"
		xt_is byte_len "$len"
		xt b check buf=m "len=$len" "seed=$seed"
		xt b check buf=m "off=$len" len=64 byte=170
		xt a fill buf=m off=4M len=128K byte=170
		xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m off=4M "len=$len"
		xt a check buf=m off=4M "len=$len" "seed=$seed" pos=0
		xt a check buf=m "off=$((0x400000 + len))" len=64 byte=170
	done
}

# pipelined: runs many Writes, Reads and atomics at once, and compares the data
pipelined()
{
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=24 verify=1
	xt b fill buf=m len=1M seed=9
	xt a run "ep=$EP_A" op=read buf=m off=4M len=20011 qd=8 count=24 verify=1 seed=9
	xt b poke buf=m val=0
	xt a run "ep=$EP_A" op=atomic buf=m off=4M qd=8 count=100 verify=1 seed=4
	xt b peek buf=m
}

# session A B [LEN...]: makes a connection. Side a must report A and side b must report B, in the
# form [crc, markers_tx, markers_rx]. With LEN, runs each operation with these lengths, and leaves
# the connection open. Without LEN, runs more operations, and ends the connection
session()
{
	xt_join tos=96
	told_is a "$1" '.connections[] | select(.role == "initiator") | [.crc, .markers_tx, .markers_rx]' \
		conn "$RD_A"
	told_is b "$2" '.connections[] | select(.role == "responder") | [.crc, .markers_tx, .markers_rx]' \
		conn "$RD_B"
	every_op "${@:3}"
	[ "$#" -eq 2 ] || return 0
	# The FPDU of a Send of 487 octets has 512 octets, which is the distance between markers.
	every_op 487 100001
	pipelined
	xt a query "ep=$EP_A"
	xt_is misordered 0
	xt_is qp_events ''
	xt_part
}

# gso N: allows at most N segments in each packet that TCP passes to an interface
gso()
{
	on_a ip link set "$DEV_A" gso_max_segs "$1"
	on_b ip link set "$DEV_B" gso_max_segs "$1"
}

# on_wire NAME A B: captures a session in NAME.pcap. Each segment of this session contains one FPDU,
# as Wireshark expects. Then, without a capture, runs a session whose segments may contain several
# FPDUs. A and B: arguments of session()
on_wire()
{
	say "$1"
	gso 1
	capture "$1.pcap" tcp port "$XT_PORT"
	session "$2" "$3" 1 512 4000
	xt_part
	captured
	# Omit resets, because they may have another TOS. While a connection enters TIME_WAIT, TCP
	# may find no connection for a late segment. TCP then sends a reset with the TOS of that
	# segment.
	capture_find "$1.pcap" "src $IP_A and ip[1] != 96 and tcp[tcpflags] & tcp-rst == 0"
	equal "segments of a with another TOS" "" "${FRAMES[*]}"
	capture_find "$1.pcap" "src $IP_A and ip[1] == 96"
	[ ${#FRAMES[@]} -gt 0 ] || fail "no segment of a in $1.pcap"
	gso 65535
	session "$2" "$3"
}

xt_listen
link_mtu 1500
configure markers=on
on_wire markers '[true,true,true]' '[true,true,true]'
configure_b markers=off
# Do not capture the next two connections. Wireshark assumes that the end with the M flag inserts
# markers, but that end receives them.
say "markers to side a"
session '[true,false,true]' '[true,true,false]'
configure_a markers=off
configure_b markers=on
say "markers to side b"
session '[true,true,false]' '[true,false,true]'
configure markers=on crc=off
on_wire nocrc-markers '[false,true,true]' '[false,true,true]'
link_mtu 9000
say "MTU 9000"
session '[false,true,true]' '[false,true,true]'
link_mtu 1500
configure markers=off
on_wire nocrc '[false,false,false]' '[false,false,false]'
configure_a crc=on
on_wire crc-by-a '[true,false,false]' '[true,false,false]'
configure_a crc=off
configure_b crc=on
on_wire crc-by-b '[true,false,false]' '[true,false,false]'

say "a connection of IPv6, markers and no CRC"
xt b close ep=all
configure markers=on crc=off
wait_for 10 on_a ping -c 1 -W 1 "$IP6_B"
IP_B=$IP6_B
xt_listen
session '[false,true,true]' '[false,true,true]'

frames_sound rx_drops
xt b close ep=all
xiw_clean
