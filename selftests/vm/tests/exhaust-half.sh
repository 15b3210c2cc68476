# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A peer begins an FPDU on each of 1,000 connections, and completes none of these FPDUs. Messages of
# other peers, including FPDUs that TCP delivers in pieces, are still processed, and all resources
# are free afterwards.
# topology: one
# kernels: all
# rnic: soft
# group: long
# memory: 2048
# timeout: 600
# shellcheck shell=bash

# An FPDU that arrives in pieces must be reassembled in memory. A whole FPDU is placed directly from
# TCP's memory.
in_pieces() { expect "FPDUs in pieces" peer_run streams --only octet-by-octet; }

xt_up
xt_pair
xt_listen autoclose=1
xt_join
others_go_on 8
in_pieces
xt_open c b
xt c listen "addr=$IP_B" port=7307 hello=0 autoclose=1 sq=2 rq=2 backlog=1024
hoard half "$IP_B" 7307 1000
hoard_all 1000
hoard_spent
others_go_on 8
in_pieces
hoard_over
# Wait until only the two QPs of the earlier connection exist.
two_left() { xt c stat && [ "${XT[qp]}" -eq 2 ]; }
wait_for 60 two_left || fail "connections stay: ${XT[0]}"
others_go_on 8
in_pieces
xt c close ep=all
xt_close c
xt_closed a b
xiw_clean
