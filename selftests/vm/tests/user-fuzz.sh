# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The uverbs interface of the driver survives valid and invalid commands, ioctls and mappings from
# two threads at once (selftests/uverbs). No object is left, and the device works as before.
#
#   XIW_TEST_SECONDS=300 lab run -k debug --group long user-fuzz:one
#
# XIW_TEST_SECONDS: duration (default 60).
# topology: one
# kernels: all
# group: long
# timeout: 900
# shellcheck shell=bash

user_up
for seed in 1 $RANDOM; do
	ON_TIMEOUT=600 on_b xiw-uverbs "$RD_B" $((${XIW_TEST_SECONDS:-60} / 2)) $seed >/tmp/uverbs.log ||
		fail "$(cat /tmp/uverbs.log)"
	cat /tmp/uverbs.log
	user_clean
done
PORT=$((USER_PORT++))
server_up $PORT rping -s -a "$IP_B" -p $PORT -C 10 -V
expect "work as before" on_a rping -c -a "$IP_B" -p $PORT -C 10 -V
server_done
user_clean
