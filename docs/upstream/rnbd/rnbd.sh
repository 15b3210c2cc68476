# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Maps and unmaps a disk of rnbd, and unloads the client at once. XIW_TEST_TYPE: rxe, or another
# driver that rtrs can use.
# topology: one
# kernels: stable newest
# modules: ulps
# timeout: 400
# shellcheck shell=bash

expect "devices" rdma_up "$(xt_type)"
exported=$(on_b rnbd_up always_invalidate=N) || fail "server: $exported"
for ((i = 1; i <= 100; i++)); do
	rnbd_map "$IP_B" "$exported" >/dev/null || fail "round $i: not mapped"
	rnbd_unmap || fail "round $i: not unmapped"
	rmmod rnbd_client || fail "round $i: not unloaded"
	! dmesg | grep -q "rnbd-clt.c.*rnbd_client_exit" || fail "round $i: the kernel warns"
done
expect "the server" on_b rnbd_down
expect "modules" rmmod rtrs_client rtrs_core
