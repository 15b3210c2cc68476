# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The MPA startup in all its shapes, in both roles, against a peer that says anything: CRC and
# markers, depths, RTR, rejection, private data, revisions, any cut of the frames, octets that
# should not be there, what comes in one segment with the Reply, the first FPDU of a responder.
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
