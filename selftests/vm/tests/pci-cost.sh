# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures the bus cost of a PCIe RNIC: doorbells per message, interrupts per thousand messages, and
# events per interrupt. The test measures sender and receiver separately, for several queue depths
# (docs/performance/details.md).
# XIW_TEST_MODERATION: minimum time between two interrupts, in microseconds (default 0).
# topology: one
# kernels: all
# rnic: pci
# timeout: 600
# group: bench
# shellcheck shell=bash

COUNT=4000
MODERATION=${XIW_TEST_MODERATION:-0}

xt_up
for side in a b; do
	xt_open $side $side
	xt $side buf name=m size=32M
done
for dev in "$DEV_A" "$DEV_B"; do
	ethtool -C "$dev" rx-usecs "$MODERATION" || [ "$MODERATION" = 0 ]
done

# snap SIDE: prints the counters doorbells, interrupts and events of SIDE, in this order
snap()
{
	local rd
	rd=$(rd_of "$1")
	rdma -j statistic show link "$rd/1" | jq -r '.[0] | [.doorbells, .interrupts, .events] | @sh'
}

# spent SIDE NAME: prints a row NAME with the doorbells per message, interrupts per thousand
# messages and events per interrupt of SIDE, calculated from the growth of its counters since
# BEFORE_SIDE
spent()
{
	local -n before=BEFORE_$1
	local now=() side=$1
	read -r -a now <<<"$(snap "$side")"
	awk -v d=$((now[0] - before[0])) -v i=$((now[1] - before[1])) -v e=$((now[2] - before[2])) \
		-v n="$COUNT" -v what="$2" 'BEGIN {
		printf "%-28s %6.2f doorbells/message %7.1f interrupts/1000 %7.1f events/interrupt\n",
			what, d / n, 1000 * i / n, i ? e / i : 0 }'
}

say "interrupts at least $MODERATION us apart"
for op in write send read; do
	for depth in 1 32 256; do
		xt_listen rq=512 sink=512 sink_len=4096 sink_off=16M
		xt_join sq=512
		read -r -a BEFORE_a <<<"$(snap a)"
		read -r -a BEFORE_b <<<"$(snap b)"
		xt a run "ep=$EP_A" op=$op buf=m off=4M len=64 qd=$depth count=$COUNT
		spent a "$op, depth $depth, sender"
		spent b "$op, depth $depth, receiver"
		xt_part
		xt b close ep=all
	done
done
