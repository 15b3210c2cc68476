# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RNIC does not report that a stream has stopped. The driver fails the device, and the drain of
# the stream's QP ends. Otherwise, a drain of a kernel ULP would wait forever.
#
#   lab run --rnic pci --rnic-arg a:--fault=stopped --group fault pci-unstopped
#
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 200
# shellcheck shell=bash

function_up
xt_listen
xt_join
say "a drain"
xt a drain "ep=$EP_A"
expect "the device of side a has failed" grep -qx "$RD_A" <<< "$(failed_devices)"
dmesg | grep -q "$RD_A: device failed: RNIC did not stop a stream" || fail "another reason"
xt_closed a b
xt_clean a
good_as_new a b
