# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# 0006: a program makes rdma_ucm write an event, or the answer to migrate_id, to a page whose fault
# is never resolved (stall.c). Other programs and the kernel's ULPs still connect. XIW_TEST_TYPE:
# siw, or another iWARP driver. XIW_TEST_WORDS: event or migrate.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPE:-siw}
xt_up
[ "$XIW_TEST_TYPE" != xiw ] || user_provider
xt_pair
xt_listen
xiw-stall "$IP_A" "${XIW_TEST_WORDS:-event}" >/tmp/stall.log 2>&1 &
stalls() { grep -q '^stalled$' /tmp/stall.log; }
wait_for 20 stalls || fail "$(cat /tmp/stall.log)"
waits() { grep -Eqs 'ucma_event_handler|cma_iw_handler' /proc/[0-9]*/stack; }
if wait_for 5 waits; then say "iw_cm's worker waits"; else say "iw_cm's worker goes on"; fi
say "a connection of the kernel"
xt_start a connect "addr=$IP_B" "port=$XT_PORT" timeout=15000
answered() { ! kill -0 "${XT_STARTED[a]}" 2>/dev/null; }
wait_for 20 answered || fail "the connect hangs"
xt_ends a '^status=ok'
xt a close ep=all
xt b close ep=all
