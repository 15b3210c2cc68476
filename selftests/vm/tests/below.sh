# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Every operation, and NVMe-oF with verification, works over each layer that encrypts below MPA.
# FPDUs also fit the segments of the path's MTU, or the records of TLS. A capture of the outer wire contains no octet of a
# known pattern. A capture of the same traffic without encryption contains the pattern, which proves
# that a capture can show it.
# topology: one
# kernels: all
# rnic: soft
# timeout: 400
# shellcheck shell=bash

WIRE_A=$DEV_A WIRE_B=$DEV_B
OUTER_A=10.9.0.1 OUTER_B=10.9.0.2

# 32 octets that fill the buffers and the disk
PATTERN=known-pattern-of-octets-0123456
block() { head -c "$1" < <(yes $PATTERN); }

# seen FILE: counts the lines of a capture that contain the pattern
seen() { grep -a -c "$PATTERN" "$OUT/$1.pcap" || :; }

# operations: runs each operation; operations with a payload send the pattern
operations()
{
	local side at words
	xt_pair
	xt_listen
	xt_join
	# the words of the pattern, as poke takes them
	mapfile -t words < <(block 32 | od -An -v -w8 -tx8 | tr -d ' ')
	for side in a b; do
		for at in {0..511}; do
			xt $side poke buf=m off=$((8 * at)) val="0x${words[at % 4]}"
		done
	done
	xt_every_op 100000
	xt a run "ep=$EP_A" op=write buf=m off=4M len=60000 qd=8 count=100
	xt_part
	xt b close ep=all
	xiw_clean
}

# fits MTU HEADERS [SLACK]: checks that the longest FPDU fits into a segment of the path, and fills
# it except for at most six octets and SLACK
fits()
{
	local mulpdu
	xt_pair
	xt_listen
	xt_join
	mulpdu=$(told a '.connections[] | select(.role == "initiator") | .mulpdu' conn "$RD_A")
	say "MTU $1: MULPDU $mulpdu"
	[ "$mulpdu" -le $(($1 - $2 - 6)) ] || fail "MULPDU $mulpdu does not fit MTU $1"
	[ "$mulpdu" -ge $(($1 - $2 - 12 - ${3:-0})) ] || fail "MULPDU $mulpdu wastes MTU $1"
	xt_part
	xt b close ep=all
	xiw_clean
}

# storage: fills a disk with the pattern, and verifies a disk with fio
storage()
{
	local disk
	expect "target" nvmet_up rdma "$IP_B" 4420 ipv4
	disk=$(nvme_up rdma "$IP_B" 4420) || fail "connect: $disk"
	block 1048576 >/tmp/block
	expect "known data" dd if=/tmp/block of="$disk" bs=64k oflag=direct status=none
	expect "they come back" cmp -n 1048576 /tmp/block "$disk"
	expect "data" fio_verify "$disk" --size=4m
	expect "host gone" nvme_down
	expect "target gone" nvmet_down
}

# carries NAME LAYERS HEADERS [SLACK]: runs operations and storage over the devices, and checks a
# capture of the outer wire for the pattern. LAYERS: none if nothing encrypts. HEADERS: octets of a
# packet before the FPDU. SLACK: octets by which an FPDU may be shorter than necessary
carries()
{
	local mtu
	say "== $1"
	expect "devices" rdma_up xiw
	expect "the exerciser" load xiw_test
	mtu=$(cat "/sys/class/net/$DEV_A/mtu")
	if [ "$2" = tls ]; then
		expect "TLS of a" on_a xiw config set "$RD_A" tls=require
		expect "TLS of b" on_b xiw config set "$RD_B" tls=require
		mtu=16384
	fi
	fits "$mtu" "$3" "${4-}"
	# Without -s, the capture's buffer has room for few frames, but ESP sends many short frames.
	DEV_A=$WIRE_A capture "$1.pcap" -s 2048
	operations
	storage
	captured
	if [ "$2" = none ]; then
		[ "$(seen "$1")" -gt 100 ] || fail "the capture misses the pattern"
	else
		equal "lines with the pattern" 0 "$(seen "$1")"
	fi
	rm "$OUT/$1.pcap"
	frames_sound
	expect "devices gone" rdma_down
}

# upper A B: moves the addresses of the sides to these interfaces
upper()
{
	local dev
	DEV_A=$1 DEV_B=$2
	for dev in "$WIRE_A" "$WIRE_B"; do
		ip addr flush dev "$dev"
		ip -6 addr flush dev "$dev" scope global
	done
	for dev in "$1" "$2"; do
		sysctl -qw net.ipv4.conf."$dev".rp_filter=0 net.ipv4.conf."$dev".accept_local=1 \
			net.ipv4.conf."$dev".arp_ignore=1
	done
	side_up "$1" "$IP_A" "$IP6_A"
	side_up "$2" "$IP_B" "$IP6_B"
	expect "routes over $1 and $2" one_wires
}
reaches() { wait_for 20 ping -c 1 -W 1 -I "$IP_A" "$IP_B" || fail "no way over $DEV_A"; }

# IP, TCP with timestamps
carries plain none 52

tls_up
carries tls tls 0
tls_down

expect "policies of a" esp_up "$IP_A" "$IP_B" "$IP_A"
expect "out of b" esp_policy "$IP_B" "$IP_A" out
expect "into b" esp_policy "$IP_A" "$IP_B" in
# ESP: 8 octets of header, 8 of IV, 16 of ICV, a trailer of 2 to 5
carries esp esp $((52 + 8 + 8 + 16 + 2)) 8
expect "no policies" esp_down

mac_a=$(mac_of "$WIRE_A") mac_b=$(mac_of "$WIRE_B")
expect "MACsec of a" macsec_up msa a "$WIRE_A" "$mac_b" encrypt on
expect "MACsec of b" macsec_up msb b "$WIRE_B" "$mac_a" encrypt on
upper msa msb
reaches
carries macsec macsec 52
expect "no MACsec of a" ip link del msa
expect "no MACsec of b" ip link del msb

# WireGuard's own packets need routes that do not go through it.
expect "WireGuard of a" wireguard_up wga a 51820 $OUTER_B 51821
expect "WireGuard of b" wireguard_up wgb b 51821 $OUTER_A 51820
upper wga wgb
ip addr add $OUTER_A/24 dev "$WIRE_A"
ip addr add $OUTER_B/24 dev "$WIRE_B"
ip route add $OUTER_B dev "$WIRE_A" src $OUTER_A table 101
ip route add $OUTER_A dev "$WIRE_B" src $OUTER_B table 102
ip rule add pref 9 iif lo to $OUTER_B lookup 101
ip rule add pref 12 iif lo to $OUTER_A lookup 102
reaches
carries wireguard wireguard 52
ip link del wga
ip link del wgb
