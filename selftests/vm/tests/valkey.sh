# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Valkey, compiled from Debian's source, works over RDMA. Its clients send RDMA Writes with
# Immediate, which no other iWARP driver in software supports. Valkey's own test program writes keys
# and compares the values.
# topology: one
# kernels: all
# disk: programs
# timeout: 300
# shellcheck shell=bash

user_up
VALKEY=/lab/in/valkey
PORT=$((USER_PORT++)) TCP_PORT=$((USER_PORT++))
# This version of valkey-cli supports only TCP.
cli() { $VALKEY/valkey-cli -h 127.0.0.1 -p $TCP_PORT "$@"; }

server_up $PORT $VALKEY/valkey-server --bind 127.0.0.1 --port $TCP_PORT --rdma-bind "$IP_B" \
	--rdma-port $PORT --protected-mode no --save '' --appendonly no --dir /tmp
before=$(counter a tx_immediate)
expect "Valkey's own test, four threads" beside_server on_a $VALKEY/rdma-test --thread 4 \
	-h "$IP_B" -p $PORT
sent=$(($(counter a tx_immediate) - before))
[ $sent -gt 100 ] || fail "only $sent immediates were sent over $RD_A"
expect "the server answers" cli ping
expect "it stops" cli shutdown nosave
server_done
user_clean
