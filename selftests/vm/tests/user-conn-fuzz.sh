# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Two processes without privileges use uverbs and rdma_cm in random ways (selftests/uverbs). Their
# threads reset, stop and destroy the same QPs and post to them, use QP numbers of other users, and
# act as peers that stall. At the same time, all connections of another listener succeed, because
# the processes cannot take its resources. No object is left.
#
#   XIW_TEST_SECONDS=300 lab run -k debug --group long user-conn-fuzz:one
#
# XIW_TEST_SECONDS: duration (default 60).
# topology: one
# kernels: all
# rnic: soft
# group: long
# timeout: 900
# shellcheck shell=bash

user_up
chmod a+rw /dev/infiniband/*
# fuzz SEED: runs the fuzzer as an unprivileged user; SEED selects its random numbers
fuzz() # SEED
{
	setpriv --reuid=nobody --clear-groups --inh-caps=-all --bounding-set=-all \
		xiw-uverbs "$RD_B" "${XIW_TEST_SECONDS:-60}" "$1" "$IP_B"
}
# bystander NAME: makes a connection between two other processes, and compares data
bystander()
{
	user_pair "connection $1 of a bystander" \
		"rping -s -a @ADDRESS -p @PORT -C 3 -V" "rping -c -a @ADDRESS -p @PORT -C 3 -V"
}
running() { kill -0 "$1" 2>/dev/null || kill -0 "$2" 2>/dev/null; }

ADDRESS=$IP_B
fuzz 1 >/tmp/fuzz-1.log 2>&1 &
first=$!
fuzz $RANDOM >/tmp/fuzz-2.log 2>&1 &
second=$!
n=0
while running "$first" "$second"; do bystander $((++n)); done
for pid in "$first" "$second"; do
	wait "$pid" || fail "$(cat /tmp/fuzz-1.log /tmp/fuzz-2.log)"
done
cat /tmp/fuzz-1.log /tmp/fuzz-2.log
user_clean
bystander last
user_clean
