# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The golden frames, sent to the kernel by a peer over an ordinary TCP socket; what comes
# back is compared with the golden answers, octet for octet, and memory, completions and QP
# states are looked at. A busy connection of the same device is verified all the while.
#
# Sends, Writes and Reads [R-HDR-010] [R-HDR-012] [R-HDR-015] [R-HDR-016] [R-HDR-017]
# [R-RD-012] [R-RD-014] [R-RD-015] [R-RD-016] [R-SND-003] [D-HDR-001] [D-HDR-002]
# [D-HDR-009] [D-XFER-009] [M-FPDU-001] [M-FPDU-003]
# Refused [R-GEN-008] [R-HDR-008] [R-HDR-020] [R-HDR-031] [R-HDR-032] [R-HDR-033]
# [R-HDR-035] [R-HDR-039] [R-WR-003] [R-RD-003] [R-RD-006] [R-RD-020] [R-RD-022] [R-SND-004]
# [R-SND-007] [R-SND-013] [R-SND-015] [R-TRM-001] [R-TRM-002] [R-TRM-007] [R-STR-006]
# [R-STR-008] [R-ERR-001] [R-ERR-007] [R-ERR-009] [R-ERR-010] [R-ERR-011] [R-ERR-012]
# [R-ERR-013] [R-ERR-014] [R-ERR-015] [R-ERR-016] [R-ERR-017] [R-ERR-018] [R-ERR-019]
# [R-SEC-002] [R-SEC-004] [D-ERR-002] [D-ERR-003] [D-ERR-005] [D-ERR-006] [D-ERR-007]
# [D-ERR-008] [D-ERR-009] [D-ERR-010] [D-ERR-011] [D-ERR-012] [D-ERR-013] [D-ERR-019]
# [D-SEC-001] [M-CRC-011] [M-CRC-012] [M-ERR-002] [S-REM-002] [S-REM-005] [S-REM-017]
# Terminated by the peer [R-HDR-022] [R-TRM-003] [R-TRM-006] [R-TRM-010] [R-STR-009]
# RFC 7306 [X-HDR-004] [X-HDR-005] [X-HDR-007] [X-HDR-011] [X-HDR-012] [X-HDR-016]
# [X-HDR-017] [X-HDR-018] [X-HDR-020] [X-HDR-021] [X-HDR-022] [X-HDR-023] [X-HDR-024]
# [X-HDR-025] [X-HDR-031] [X-DISC-003] [X-DISC-004] [X-DISC-005] [X-ATOM-003] [X-ATOM-005]
# [X-ATOM-006] [X-ATOM-007] [X-ATOM-014] [X-ATOM-015] [X-ATOM-017] [X-ATOM-018] [X-ATOM-019]
# [X-ATOM-023] [X-ATOM-024] [X-ATOM-025] [X-ATOM-027] [X-ATOM-028] [X-ATOM-030] [X-ATOM-031]
# [X-ATOM-033] [X-ATOM-035] [X-ATOM-036] [X-ATOM-037] [X-ATOM-040] [X-ATOM-041] [X-ATOM-044]
# [X-ATOM-045] [X-ATOM-046] [X-ATOM-047] [X-ATOM-049] [X-ATOM-050] [X-ATOM-051] [X-ATOM-052]
# [X-ORD-015] [X-ORD-023] [X-IMM-001] [X-IMM-009] [X-IMM-014] [X-ERR-003] [X-ERR-004]
# [X-ERR-005] [X-ERR-007] [X-ERR-008] [X-ERR-009] [X-ERR-010] [X-SEC-001] [X-IANA-002]
# [X-IANA-003] [I-ATOM-009] [I-ATOM-011] [I-ATOM-014] [I-ATOM-020] [I-INV-002] [I-INV-006]
# Startup [M-CONN-003] [M-CONN-004] [M-CONN-005] [M-CONN-006] [M-CONN-007] [M-CONN-013]
# [M-CONN-014] [M-CONN-015] [M-CONN-018] [M-CONN-022] [M-CONN-026] [M-CONN-030] [M-CONN-032]
# [M-CONN-034] [M-MARK-004] [M-MARK-006] [M-MARK-007] [M-MARK-008] [M-ERR-003] [M-ERR-005]
# [E-FRAME-004] [E-FRAME-005] [E-FRAME-008] [E-IRD-002] [E-IRD-007] [E-IRD-008] [E-IRD-009]
# [E-IRD-011] [E-IRD-012] [E-IRD-013] [E-IRD-014] [E-P2P-001] [E-P2P-002] [E-P2P-004]
# [E-P2P-008] [E-P2P-009] [E-P2P-010] [E-P2P-012] [E-INTER-001] [E-INTER-002]
# [X-HDR-030] [X-IMM-005] [R-SND-014] [R-SND-016] [R-ERR-003] [D-LLP-009] [D-TEAR-010]
# [M-ERR-007] [M-CONN-001] [M-CONN-002] [M-CONN-020] [M-CONN-027] [E-INTER-003]
# [I-IMM-008] [I-SE-002] [I-MSG-002] [I-ATOM-007] [R-GEN-007] [D-XFER-017]
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 300
# shellcheck shell=bash

xt_up
for file in startup accepted refused terminated; do
	peer_run $file || failed+=" $file"
done
equal "scenarios with failures" "" "${failed-}"

say "an answer that is expected with one other octet is not there"
awk -F'\t' -v OFS='\t' '$1 == "N-DV-01" { sub(/c000001e/, "c000001f", $7) } 1' \
	"$PEER_VECTORS" >/tmp/other.tsv
refuse "the same file, but one octet" cmp -s "$PEER_VECTORS" /tmp/other.tsv
PEER_VECTORS=/tmp/other.tsv
refuse "the other answer" peer_run refused --only N-DV-01
expect "any other row" peer_run refused --only N-DV-02
