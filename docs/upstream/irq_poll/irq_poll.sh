# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs Writes and Reads on many connections, while a disk raises interrupts. ib_core polls the CQs
# of the connections in softirq (IB_POLL_SOFTIRQ). XIW_TEST_TYPE: siw, or another driver.
# topology: one
# kernels: all
# timeout: 400
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPE:-siw}
# reads: reads the disk in small pieces, bypassing the page cache
reads() { while :; do dd if=/dev/vda of=/dev/null bs=4k count=5000 iflag=direct 2>/dev/null; done; }

# Do not use "load xiw_test", which disables softirq CQs on kernels with the bug.
expect "rdma_cm" load rdma_cm
expect "the exerciser with softirq CQs" \
	insmod /lab/in/modules/xiw_test.ko "patience=$PATIENCE" softirq=1
xt_up
xt_pair
xt_listen
for i in 1 2 3 4; do
	reads &
	READERS+=($!)
done
for i in 1 2 3; do
	xt a connect "addr=$IP_B" "port=$XT_PORT" n=8
	for op in write read; do
		xt a run ep=all op=$op buf=m len=64 qd=4 ms=10000
		say "$op: ${XT[0]}"
	done
	xt a close ep=all
done
kill "${READERS[@]}"
