# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A user without privileges has QPs that respond to connections by number (the setting
# connect-by-number). The driver allocates the entries for the peer's requests in a kernel worker,
# and charges them to the cgroup of the user. [R-SEC-016] [S-REM-013]
# topology: one
# kernels: all
# rnic: soft
# group: long
# timeout: 300
# shellcheck shell=bash

user_up
configure connect-by-number=on
hoard_group
rc=0
(in_hoard xiw-verbs "$IP_A" "$IP_B" charges) >/tmp/charges.log 2>&1 || rc=$?
cat /tmp/charges.log
equal "status of xiw-verbs" 0 "$rc"
user_clean
wait_for 30 rmdir "$HOARD_GROUP" || fail "the cgroup stays"
