# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Streams against the wire peer, which can send any octets: all ways to end them, unusual
# Terminates, FPDUs split anywhere, atomics, Immediate Data, messages without a receive, agreed
# depths, Terminates among other traffic and from peers without RFC 7306, Send with Immediate.
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
