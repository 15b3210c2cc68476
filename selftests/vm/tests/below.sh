# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# All operations, and NVMe-oF with verified data, work over each layer that encrypts below MPA. The
# longest FPDU fits into a segment of the path's MTU or into a TLS record, and leaves only a few
# octets unused. A capture of the outer wire does not contain a known pattern. A capture of the same
# traffic without encryption contains the pattern, which proves that the search finds it.
# topology: one
# kernels: all
# rnic: soft
# timeout: 400
# shellcheck shell=bash

# With the newline, the pattern has 32 octets. The test writes repetitions of the pattern into the
# buffers and to the disk.
PATTERN=known-pattern-of-octets-0123456
# block OCTETS: prints this number of octets of the repeated pattern
block() { head -c "$1" < <(yes $PATTERN); }

# seen LAYER: prints how many lines of the capture $OUT/LAYER.pcap contain the pattern
seen() { grep -a -c "$PATTERN" "$OUT/$1.pcap" || :; }

# operations: connects, runs each operation, and disconnects. The payload contains the pattern
operations()
{
	local side at words
	xt_pair
	xt_listen
	xt_join
	# the pattern as 64-bit words, for the command poke
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

# fits MTU HEADERS [SLACK]: checks that the longest FPDU fits into MTU minus HEADERS octets, and
# leaves at most six octets plus SLACK unused. HEADERS: octets of a packet before the FPDU
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

# storage: writes the pattern to a disk over NVMe-oF, reads it back and compares it; then writes
# other data to the disk and verifies it with fio
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

# carries LAYER HEADERS [SLACK]: runs operations and storage over LAYER. If LAYER is "none", a
# capture of the outer wire must contain the pattern; otherwise, it must not. HEADERS and SLACK: as
# for fits()
carries()
{
	local mtu
	say "== $1"
	layer_up "$1"
	expect "devices" rdma_up xiw
	expect "the exerciser" load xiw_test
	layer_set "$1"
	mtu=$(cat "/sys/class/net/$DEV_A/mtu")
	[ "$1" != tls ] || mtu=16384
	fits "$mtu" "$2" "${3-}"
	# Limit the length of each captured frame (-s). Without this limit, the capture's buffer has
	# room for few frames, and ESP sends many short frames.
	DEV_A=$WIRE_A capture "$1.pcap" -s 2048
	operations
	storage
	captured
	if [ "$1" = none ]; then
		[ "$(seen "$1")" -gt 100 ] || fail "the capture misses the pattern"
	else
		equal "lines with the pattern" 0 "$(seen "$1")"
	fi
	rm "$OUT/$1.pcap"
	frames_sound
	expect "devices gone" rdma_down
	layer_down "$1"
}

# 52 octets: the headers of IP and TCP, with timestamps
carries none 52
carries tls 0
# ESP adds a header of 8 octets, an IV of 8, an ICV of 16, and a trailer of 2 to 5.
carries esp $((52 + 8 + 8 + 16 + 2)) 8
carries macsec 52
carries wireguard 52
