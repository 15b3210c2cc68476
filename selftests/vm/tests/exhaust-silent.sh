# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A peer holds 1,000 TCP connections to a listener open, sends nothing, and replaces each connection
# that is closed. Other peers still connect to this listener within ten seconds, and an existing
# connection is not affected.
# topology: one
# kernels: all
# rnic: soft
# group: long
# timeout: 300
# shellcheck shell=bash

xt_up
xt_pair
xt_listen autoclose=1
xt_join
others_go_on 4
hoard silent "$IP_B" "$XT_PORT" 1000
# startup-time is ten seconds, so each connect has one try.
others_go_on 4
hoard_over
others_go_on 4
xt_closed a b
xiw_clean
