# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A user without privileges requests a million memory windows, each with an STag, and gets an eighth
# of the STag table. Other users can still register memory and connect, and all resources are free
# afterwards. [R-SEC-016] [S-REM-013]
# topology: one
# kernels: all
# rnic: soft
# group: long
# memory: 2048
# timeout: 900
# shellcheck shell=bash

hoard_up
hoard windows "$RD_B" 1048576
hoard_share 131072
hoard_spent
# Side b registers memory for each new connection, so these calls check that this is still possible.
others_go_on 4
xt b regs "ep=$EP_B" buf=m len=4096 n=64
hoard_down
