# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# rcopy copies files over rsockets, which are TCP-like sockets over RDMA. The test compares the
# copies.
# topology: one
# kernels: all
# disk: programs
# timeout: 100
# shellcheck shell=bash

user_up
FILES=/tmp/files
mkdir -p $FILES
for octets in 1 4096 20000000; do
	head -c $octets /dev/urandom >$FILES/$octets
done
port=$((USER_PORT++))
server_up $port rcopy -p $port
before=$(counter a tx_bytes)
for name in 1 4096 20000000; do
	expect "a file of $name octets" on_a rcopy $FILES/$name "$IP_B:/tmp/copy" -p $port
	expect "its data" cmp $FILES/$name /tmp/copy
done
[ $(($(counter a tx_bytes) - before)) -ge 20000000 ] || fail "that was not over $RD_A"
server_stop
user_clean
