# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The MPA startup in all its shapes, in both roles, against a peer that says anything: CRC
# and markers [M-CRC-004] [M-CRC-005] [M-CONN-007] [M-CONN-008] [M-CONN-014], depths
# [E-IRD-002] [E-IRD-003] [E-IRD-007] [E-IRD-008] [E-IRD-011] [E-IRD-012] [E-IRD-013]
# [E-IRD-014] [E-INTER-006], RTR [E-P2P-001] [E-P2P-002] [E-P2P-003] [E-P2P-004] [E-P2P-008]
# [E-P2P-010] [E-P2P-011] [E-P2P-013], rejection [M-CONN-011] [M-CONN-023], private data
# [E-FRAME-006] [E-FRAME-007], any cut of the frames, octets that should not
# be there and frames that never end [M-CONN-004] [M-CONN-022] [M-CONN-030] [M-ERR-005].
# Private data up to what a frame has room for [M-CONN-017] [M-CONN-018] [M-CONN-019],
# revisions [M-CONN-010] [M-CONN-012] [M-CONN-015] [M-CONN-020] [M-CONN-025] [M-CONN-027]
# [E-INTER-003] [E-INTER-004], what comes in one segment with the Reply [M-CONN-001]
# [M-CONN-002] [M-ERR-007], the first FPDU of a responder [M-CONN-021] [M-CONN-029].
# [R-STR-002] [R-STR-003] [M-CONN-031]
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
