# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the scenarios of the wire peer while the wire delivers frames in bursts. The wire holds the
# frames that the peer sends between two waits of a scenario, and then releases all of them
# together. A burst may contain the pieces of a split FPDU and the end of the connection. All
# scenarios pass, and no device fails.
#
# XIW_TEST_GRO: on or off (default off), GRO of both interfaces.
# topology: one
# kernels: all
# rnic: soft
# group: long
# timeout: 900
# shellcheck shell=bash

none_failed() { ! log_since "test conformance-bursts $TOPOLOGY" | grep "device failed"; }

xt_up
expect "GRO of a" ethtool -K "$DEV_A" gro "${XIW_TEST_GRO:-off}"
expect "GRO of b" ethtool -K "$DEV_B" gro "${XIW_TEST_GRO:-off}"
for file in negotiation revisions early ready streams parked depths blamed atomics immediates \
	ulp startup accepted refused terminated bursts; do
	peer_run $file --wire "$DEV_A" --wire "$DEV_B" --bursts || failed+=" $file"
	expect "no device failed" none_failed
done
equal "scenarios with failures" "" "${failed-}"
xt_open a a
xt_open b b
xiw_clean
