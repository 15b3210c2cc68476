# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The RNIC could access the memory of a process only through bounce buffers. The driver refuses to
# register this memory, and the process gets an error.
#
#   lab run --rnic pci --swiotlb user-bounce
#
# topology: one
# kernels: all
# rnic: pci
# group: bounce
# timeout: 120
# shellcheck shell=bash

bounces || fail "wants lab run --swiotlb"
user_up
rc=0
on_a xiw-verbs "$IP_A" "$IP_B" send >/tmp/bounce.log 2>&1 || rc=$?
cat /tmp/bounce.log
equal "status" 1 "$rc"
grep -q 'reg_mr: Operation not supported' /tmp/bounce.log || fail "another reason"
user_clean
