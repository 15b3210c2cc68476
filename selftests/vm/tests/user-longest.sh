# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A Write, a Read and a Send of 2^31 octets work between processes. Verbs do not support longer
# messages. [I-MSG-001]
# topology: one
# kernels: all
# rnic: soft
# group: long
# memory: 1024
# timeout: 1200
# shellcheck shell=bash

user_up
rc=0
ON_TIMEOUT=1000 on_a xiw-verbs "$IP_A" "$IP_B" longest >/tmp/longest.log 2>&1 || rc=$?
cat /tmp/longest.log
equal "status of xiw-verbs" 0 "$rc"
user_clean
