# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A user without privileges creates SRQs until the device refuses: a user gets at most an eighth of
# the SRQ table. Other users can still create SRQs and connect, and all resources are free
# afterwards. [R-SEC-016] [S-REM-013]
# topology: one
# kernels: all
# rnic: soft
# group: long
# memory: 2048
# timeout: 300
# shellcheck shell=bash

hoard_up
hoard srqs "$RD_B" 8300
hoard_share 8192
xt b create what=srq "dev=$RD_B" srq=8
hoard_spent
others_go_on 4
hoard_down
