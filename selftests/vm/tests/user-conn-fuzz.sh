# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# user-fuzz with connections: uverbs and rdma_cm in one process, threads that reset, stop, destroy
# and post to the same QPs, QP numbers of other users, peers that stall (selftests/uverbs). Two such
# processes run without privileges. At the same time, all connections of another listener must
# succeed, because the processes cannot take its resources. Nothing is left.
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
fuzz() # SEED
{
	setpriv --reuid=nobody --clear-groups --inh-caps=-all --bounding-set=-all \
		xiw-uverbs "$RD_B" "${XIW_TEST_SECONDS:-60}" "$1" "$IP_B"
}
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
