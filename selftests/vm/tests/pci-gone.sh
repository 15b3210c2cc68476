# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RNIC is pulled out while it works, so all reads of its registers return all ones. The device
# fails soon, all queues are flushed and can be closed, and the driver can be unloaded. Run this
# test alone, because the function does not return.
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair
xt_open a2 a
xt_listen
xt_join

xt_start a run "ep=$EP_A" op=write buf=m off=4M len=16384 qd=8 "${XT_ENDLESS[@]}"
wait_for 20 moving || fail "nothing moves"
say "pulled out"
rnic_dies a
start=$SECONDS
wait_for 10 xt_told a2 "$RD_A" DEVICE_FATAL || fail "the device has not failed"
say "known after $((SECONDS - start)) s"
equal "said once" 1 "$(dmesg | grep -c " $RD_A: device failed: the function is gone")"
xt_ends a '^status=error .*wc=WR_FLUSH_ERR'
xt b wait "ep=$EP_B" state=disconnected
xt_told a2 "$RD_B" DEVICE_FATAL && fail "the other one has failed too"

xt_closed a b a2
xt_clean a
for session in a b a2; do
	xt_close $session
done
expect "the exerciser" unload xiw_test
expect "the driver" unload xiw
