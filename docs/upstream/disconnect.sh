# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# 0007: a program destroys a QP while iw_cm disconnects the QP (disconnect.c). When iw_cm calls
# ib_modify_qp(), a probe runs a delay in place of this function, so that nothing accesses the freed
# QP.
# XIW_TEST_TYPE: siw, or another iWARP driver.
# topology: one
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPE:-siw}
[ "$XIW_TEST_TYPE" != xiw ] || user_provider
expect "devices" rdma_up "$XIW_TEST_TYPE"
expect "a slow call" insmod /lab/in/modules/xiw_short.ko in=ib_modify_qp from=iw_cm wait=5000
mkfifo /tmp/go
xiw-disconnect "$IP_A" "$IP_B" </tmp/go >/tmp/disconnect.log 2>&1 &
pid=$!	# store the id now, because wait_for starts other processes
exec 3>/tmp/go
held() { grep -qs is_short /proc/[0-9]*/task/*/stack; }
wait_for 20 held || fail "$(cat /tmp/disconnect.log)"
echo >&3
wait "$pid" || fail "$(tail -n 1 /tmp/disconnect.log)"
rmmod xiw_short
