# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A user without privileges listens on 300 ports with a backlog of 256, so that the listeners have
# at least half of the connection slots of the user's share. An earlier listener and connections of
# other users still work, and all resources are free afterwards. The cgroup of the user is charged
# for the slots. The test prints how much memory the kernel used, and how much of it was charged.
# [R-SEC-016] [S-REM-013]
# topology: one
# kernels: all
# rnic: soft
# group: long
# timeout: 300
# shellcheck shell=bash

xt_up
xt_pair
hoard_group
xt_listen backlog=8 autoclose=1
xt_join
others_go_on 24
hoard listeners "$IP_B" 300 256
# The share of a user is 8,192 slots. A listener gets one slot at once. Later, a worker gives up to
# 31 further slots to a listener that has no peers, but only while the user has fewer than 4,096
# slots. So all 300 listeners get a slot.
hoard_all 300
# The listeners have at least 4,096 slots of at least two KiB each, together 8 MiB.
hoard_charged 8
hoard_spent
# Make more connections than the listener's backlog, so that the listener must get new slots.
others_go_on 24
xt a listen "addr=$IP_A" port=7307 hello=0 backlog=8
own=${XT[ep]}
xt b connect "addr=$IP_A" port=7307 hello=0
xt b close "ep=${XT[ep]}"
hoard_over
others_go_on 24
xt a close "ep=$own"
xt_closed a b
xiw_clean
