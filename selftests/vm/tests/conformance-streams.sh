# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Streams against a peer that says anything. Their ends, by odd Terminates and in all other
# ways [R-HDR-012] [R-HDR-026] [R-HDR-028] [R-TRM-005] [R-TRM-009] [R-TRM-010] [R-STR-007]
# [R-STR-009] [M-ERR-006], any cut of an FPDU; atomics [X-ATOM-008] [X-ATOM-009]
# [X-ATOM-010] [X-ATOM-011] [X-ATOM-012] [X-ATOM-013] [X-ATOM-020] [X-ATOM-021] [X-ATOM-022]
# [X-ATOM-032] [X-ATOM-038] [X-ATOM-039] [X-ATOM-042] [X-ATOM-043] [X-ATOM-048]
# [X-RES-001] [X-RES-002] [X-RES-003] [X-ORD-001] [X-ORD-006] [X-ORD-008] [X-ORD-009]
# [X-ORD-010] [X-ORD-018] [X-ORD-019] [I-ATOM-010]; Immediate Data [X-HDR-001] [X-HDR-002]
# [X-HDR-003] [X-HDR-009] [X-HDR-010] [X-HDR-015] [X-IMM-002] [X-IMM-004] [X-IMM-008]
# [X-IMM-010] [X-IMM-011] [X-IMM-012] [X-ORD-011] [X-ORD-014] [X-ORD-015].
# Messages without a receive [X-IMM-005] [X-IMM-006] [X-IMM-007] [X-IMM-016] [X-ORD-012]
# [X-ORD-013] [X-ORD-020], depths as agreed [R-STR-002] [R-STR-003], Terminates among other
# traffic and from peers without RFC 7306 [R-TRM-008].
# [X-IMM-003] [D-LLP-003] [D-LLP-008] [D-TEAR-004] [M-TCP-004] [M-TCP-005] [I-ATOM-008]
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 300
# shellcheck shell=bash

xt_up
for file in streams parked depths blamed atomics immediates; do
	peer_run $file || failed+=" $file"
done
equal "scenarios with failures" "" "${failed-}"
