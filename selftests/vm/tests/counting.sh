# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures the cost of counters and of the flight recorder. The normal driver, a driver without
# counters and a driver without the flight recorder take turns in one boot. Each of them runs small
# messages with the same exerciser. With --icount, counters may cost at most one percent of the
# message rate, and the flight recorder two percent (docs/performance/details.md).
# topology: one
# kernels: stable newest
# rnic: soft
# variants: uncounted unrecorded
# timeout: 900
# group: bench
# shellcheck shell=bash

ROUNDS=${XIW_TEST_ROUNDS:-3}
MS=${XIW_TEST_MS:-30}
MTU=1500
XIW_TEST_TYPE=xiw

link_mtu "$MTU"
for ((ROUND = 1; ROUND <= ROUNDS; ROUND++)); do
	for DRIVER in '' uncounted unrecorded; do
		# shellcheck disable=SC2086 # no word if there is no variant
		expect "driver ${DRIVER:-as it is}" load xiw $DRIVER
		xt_up
		speed_join
		for op in write send read; do
			for depth in 1 16; do
				speed $op 64 $depth "$MS" "type=${DRIVER:-xiw}"
			done
		done
		speed_part
		speed_down
	done
done
bench_report counting xiw
[ "$(bench_clock)" = instructions ] || exit 0
# A ratio above 1 means that the normal driver is faster than the variant. Check only depth 1: at
# larger depths, rates depend on how messages share segments.
bench_least counting uncounted '.depth == 1' 0.99 "counters cost more than 1 %"
bench_least counting unrecorded '.depth == 1' 0.98 "the flight recorder costs more than 2 %"
