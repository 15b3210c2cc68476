# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Ceph works on xiw, with its messenger in iWARP mode. A monitor and an OSD run on side b. A client
# on side a stores data, reads them, and compares.
# topology: netns pair
# kernels: all
# rnic: soft
# disk: programs
# memory: 2560
# timeout: 600
# shellcheck shell=bash

rados_a() { ON_TIMEOUT=120 on_a ceph_on "$RD_A" rados -p bench "$@"; }
monitor_answers() { ON_TIMEOUT=10 on_a ceph_on "$RD_A" ceph status; }
osd_is_up() { ON_TIMEOUT=10 on_a ceph_on "$RD_A" ceph osd stat | grep ' 1 up'; }

user_up
on_a ceph_config "$RD_A"
on_b ceph_config "$RD_B"
before=$(counter a tx_pkts)
expect "a monitor" on_b ceph_monitor_up "$RD_B"
wait_for 60 monitor_answers || fail "the monitor does not answer: $(on_b ceph_said "$RD_B")"
expect "an OSD" on_b ceph_osd_up "$RD_B"
wait_for 60 osd_is_up || fail "the OSD is not up: $(on_b ceph_said "$RD_B")"
expect "a pool" on_a ceph_on "$RD_A" ceph osd pool create bench

head -c 5000000 /dev/urandom >/tmp/known
expect "an object is stored" rados_a put known /tmp/known
expect "it is read" rados_a get known /tmp/read
expect "its data" cmp /tmp/known /tmp/read
expect "rados bench writes" rados_a bench 5 write -b 65536 -t 8 --max-objects 500 --no-cleanup
expect "rados bench reads and compares" rados_a bench 5 seq -t 8
[ $(($(counter a tx_pkts) - before)) -gt 1000 ] || fail "that was not over $RD_A"
expect "the daemons end" on_b ceph_down
user_clean
