# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# After the tests before this one, both sides must still answer.
# topology: netns
# kernels: all
# timeout: 30
# result: ok again\[netns\]
# shellcheck shell=bash

expect "ping" on_a ping -c 1 "$IP_B"
