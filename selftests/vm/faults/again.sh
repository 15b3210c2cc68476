# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Both sides still answer after the other tests.
# topology: netns
# kernels: all
# timeout: 30
# result: ok again\[netns\]
# shellcheck shell=bash

expect "ping" on_a ping -c 1 "$IP_B"
