# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The wire peer, which can send any octets, checks streams. The scenarios cover all ways to end a
# stream, unusual Terminates, Terminates during other traffic, peers that do not support RFC 7306,
# FPDUs that are split anywhere, atomics, Immediate Data, Send with Immediate, messages that wait
# for a receive, and the agreed IRD and ORD.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 300
# shellcheck shell=bash

xt_up
for file in streams parked depths blamed atomics immediates experiment; do
	peer_run $file || failed+=" $file"
done
equal "scenarios with failures" "" "${failed-}"
