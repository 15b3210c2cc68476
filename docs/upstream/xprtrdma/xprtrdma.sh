# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Sends Immediate Data to an NFS server, which must end the connection. XIW_TEST_TYPE: rxe, or
# another driver that supports immediates.
# topology: one
# kernels: stable newest
# timeout: 150
# shellcheck shell=bash

xt_up
xt_pair
expect "server" on_b nfs_up
xt a connect "addr=$IP_B" port=20049 hello=0
EP_A=${XT[ep]}
xt_wc SUCCESS a wr "ep=$EP_A" op=write_imm len=0 imm=1
xt_try a wait "ep=$EP_A" state=disconnected timeout=5000 ||
	fail "the server takes the immediate for a message"
xt a close "ep=$EP_A"
expect "the server" on_b nfs_down
xt_clean a
