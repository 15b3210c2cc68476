# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A user without privileges creates QPs until the device refuses: a user gets at most an eighth of
# the QP table. Other users can still create QPs and connect, and all resources are free afterwards.
# [R-SEC-016] [S-REM-013]
# topology: one
# kernels: all
# rnic: soft
# group: long
# memory: 2048
# timeout: 300
# shellcheck shell=bash

hoard_up
hoard qps "$RD_B" 8300
hoard_share 8192
hoard_spent
others_go_on 4
hoard_down
