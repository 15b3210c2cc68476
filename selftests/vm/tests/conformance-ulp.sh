# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The ULP's view, with a wire peer at the other end. Each verb as frames in the order of
# posting [R-GEN-010] [R-WR-001] [R-RD-002] [R-RD-007] [R-RD-008] [R-SND-001] [R-SND-008]
# [R-SND-009] [R-ORD-015] [I-ORD-006] [I-SE-003] [D-XFER-007] and their completions
# [R-RD-019] [R-ORD-010] [R-ORD-016] [R-ORD-024] [I-ATOM-017] [D-XFER-002]; what is not for
# the ULP [R-GEN-013] [R-GEN-015] [R-WR-002] [R-RD-001] [R-RD-004] [R-RD-005] [R-ORD-019];
# what has to be there first [R-ORD-011] [R-ORD-026] [M-CONN-029]; errors and their events
# [R-GEN-014] [R-TRM-008] [X-ATOM-029] [X-IMM-007] [X-ERR-001] [X-ERR-002] [D-SEC-008]
# [I-ATOM-013] [I-SE-004] [D-TEAR-003]; keys [I-INV-003] [I-INV-010] [I-INV-011].
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 200
# shellcheck shell=bash

xt_up
expect "all scenarios" peer_run ulp
