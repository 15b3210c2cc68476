# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A message and the end of its connection arrive in one batch of the interface, while receives are
# posted. The end must not overtake the message, and no peer may make the device fail. The test runs
# with GRO, which merges packets, and without.
# topology: one
# kernels: all
# rnic: soft
# timeout: 300
# shellcheck shell=bash

# none_failed: checks that no device has failed
none_failed() { ! log_since "test bursts $TOPOLOGY" | grep "device failed"; }

xt_up
for gro in off on; do
	expect "GRO $gro" ethtool -K "$DEV_A" gro $gro
	expect "GRO $gro" ethtool -K "$DEV_B" gro $gro
	peer_run bursts --wire "$DEV_A" --wire "$DEV_B" || failed+=" $gro"
	expect "no device failed" none_failed
done
equal "GRO with failures" "" "${failed-}"
xt_open a a
xt_open b b
xiw_clean
