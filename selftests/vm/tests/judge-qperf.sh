# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs qperf, as Debian ships it: all its tests for verbs, connected by rdma_cm. The tests whose
# names begin with "ver_" verify the results of atomics.
# topology: one
# kernels: all
# group: judges
# disk: programs
# timeout: 400
# shellcheck shell=bash

judge_up qperf
QPERF_PORT=19765
qperf -lp $QPERF_PORT &
QPERF=$!
wait_for 10 tcp_listening $QPERF_PORT || fail "no server"

for test in rc_lat rc_bw rc_bi_bw rc_rdma_read_lat rc_rdma_read_bw rc_rdma_write_lat \
	rc_rdma_write_bw rc_rdma_write_poll_lat rc_compare_swap_mr rc_fetch_add_mr \
	ver_rc_compare_swap ver_rc_fetch_add uc_lat uc_bw uc_bi_bw uc_rdma_write_lat \
	uc_rdma_write_bw uc_rdma_write_poll_lat ud_lat ud_bw ud_bi_bw; do
	judge $test 30 qperf -lp $QPERF_PORT "$IP_B" -cm1 -t 1 $test
done
kill $QPERF
wait $QPERF || :
judge_end 21
