# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Every operation of user space, and what must be refused: selftests/user.
# topology: one
# kernels: all
# timeout: 240
# shellcheck shell=bash

user_up
rc=0
ON_TIMEOUT=200 on_a xiw-verbs "$IP_A" "$IP_B" >"/tmp/verbs.log" 2>&1 || rc=$?
cat /tmp/verbs.log
[ "$rc" -ne 1 ] || fail "$(grep '^fail ' /tmp/verbs.log | tr '\n' ';')"
equal "status of xiw-verbs" 0 "$rc"
user_clean
