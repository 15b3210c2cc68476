# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The golden frames, sent to the kernel by a peer over an ordinary TCP socket.
# Terminated by the peer [R-HDR-022, R-TRM-003, R-TRM-006, R-TRM-010, R-STR-009]
# topology: one
# kernels: all
# timeout: 300
# shellcheck shell=bash

xt_up
expect "all scenarios" peer_run terminated
