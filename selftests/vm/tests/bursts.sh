# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Receives are posted. Then a message and the end of its connection arrive in one batch of packets.
# The driver reports the message before the end of the connection, and no device fails. The test
# runs with and without GRO, which merges packets.
# topology: one
# kernels: all
# rnic: soft
# timeout: 300
# shellcheck shell=bash

# none_failed: succeeds if no device has failed during this test; otherwise prints the failures
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
