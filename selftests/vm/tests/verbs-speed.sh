# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Cost of verbs over xiw (CRC on) and siw (CRC off), the same exerciser on both,
# A/B/A/B in one boot. With --icount a nanosecond is an executed instruction of
# both ends, so the numbers do not depend on the machine (docs/performance.md).
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 1800
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw siw}"
read -r -a MTUS <<<"${XIW_TEST_MTUS:-1500 9000}"
ROUNDS=${XIW_TEST_ROUNDS:-3}
MS=${XIW_TEST_MS:-100}
SIZES=(64 4096 65536 1048576)

join()
{
	local side
	for side in a b; do
		xt_open $side $side
		xt $side buf name=m size=40M
	done
	xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1M sq=64 sink=32 sink_len=1M \
		sink_off=4M rq=64
	xt_join sq=64
}

part()
{
	xt_close a
	xt_close b
}

# measure OP OCTETS DEPTH: a row; a connection that hangs is replaced
measure()
{
	local row=(work="$1" octets="$2" depth="$3" mtu="$MTU" type="$XIW_TEST_TYPE" round="$round")
	local ms=$MS
	[ "$2" -lt 1000000 ] || ms=$((MS * 4))
	if xt_try a run "ep=$EP_A" "op=$1" buf=m off=4M "len=$2" "qd=$3" "ms=$ms" timeout=5000; then
		bench_row "${row[@]}" ns="${XT[ns_per_op]}" mibs="${XT[mibs]}" ops="${XT[ops]}"
	else
		say "$XIW_TEST_TYPE $*: ${XT[0]}"
		bench_row "${row[@]}" error="${XT[errno]:-hangs}"
		part
		join
	fi
}

crc_is_on()
{
	equal "CRC of both ends" "true true" \
		"$(xiw --json | jq -r '[.connections[] | select(.qpn) | .crc | tostring] | join(" ")')"
}

all()
{
	local op len
	for op in write read send; do
		for len in "${SIZES[@]}"; do
			measure $op "$len" 16
			measure $op "$len" 1
		done
	done
	[ "$XIW_TEST_TYPE" = xiw ] || return 0
	measure write_imm 64 16
	measure fetchadd 8 16
	measure fetchadd 8 1
}

for ((round = 1; round <= ROUNDS; round++)); do
	for XIW_TEST_TYPE in "${TYPES[@]}"; do
		xt_up
		for MTU in "${MTUS[@]}"; do
			say "round $round: $XIW_TEST_TYPE, MTU $MTU"
			link_mtu "$MTU"
			join
			[ "$XIW_TEST_TYPE" != xiw ] || crc_is_on
			all
			part
		done
		unload xiw_test
		rdma_down
		unload "$XIW_TEST_TYPE"
	done
done
bench_report verbs-speed xiw
[ "${TYPES[*]}" = "xiw siw" ] || exit 0
bench_faster verbs-speed siw '.work == "write" and .depth > 1' "RDMA Write is slower than siw's"
