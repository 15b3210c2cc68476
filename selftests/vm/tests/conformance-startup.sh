# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The wire peer checks MPA negotiation as initiator and as responder. The scenarios cover CRC and
# markers, IRD and ORD, RTR, rejection, private data, revisions, frames that are split anywhere,
# unexpected octets, data in the segment of the Reply, and the first FPDU of a responder.
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
