# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# MPA negotiation in all forms, in both roles, against the wire peer: CRC and markers,
# depths, RTR, rejection, private data, revisions, frames split anywhere, unexpected octets, data
# in one segment with the Reply, the first FPDU of a responder.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 300
# shellcheck shell=bash

xt_up
for file in negotiation revisions early ready; do
	peer_run $file || failed+=" $file"
done
equal "scenarios with failures" "" "${failed-}"
