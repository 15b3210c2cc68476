# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RNIC that misbehaves does no harm: nothing hangs, and the function works again after a reset.
# If the device fails, the log contains the reason once, and all work is flushed. This command makes
# the RNIC of side a misbehave once:
#
#   lab run --rnic pci --rnic-arg a:--fault=garbage@200 --group fault pci-faulty
#
# Set XIW_TEST_FATAL according to the kind of misbehaviour. With XIW_TEST_FATAL=1, for garbage,
# flood, phase, stop, mute, heart and outcome, the device must fail. With XIW_TEST_FATAL=0, for
# ghost and burst, the device must not fail. Without XIW_TEST_FATAL, for completion, delay,
# doorbell, first, interrupt and link, the device may fail or continue.
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 200
# shellcheck shell=bash

# failures DEVICE: prints how often DEVICE has failed
failures() { dmesg | grep -c " $1: device failed: " || :; }

# struck: succeeds if an RNIC has reported its misbehaviour
struck() { grep -qs '^fault .* strikes$' /lab/out/rnic-[ab].log; }

xt_up
xt_pair
xt_open a2 a
either() { xt_told a2 "$RD_A" DEVICE_FATAL || xt_told a2 "$RD_B" DEVICE_FATAL; }

say "traffic until the RNIC misbehaves, or for 20 s"
read_until_fault 20000 60000
if [ "${XIW_TEST_FATAL-}" = 1 ]; then
	wait_for 45 either || fail "no device has failed"
fi
wait_for 10 struck || fail "the fault did not strike"
for device in "$RD_A" "$RD_B"; do
	[ "$(failures "$device")" -le 1 ] || fail "$device failed more than once"
done
failed_flushes

say "all of it can be closed"
xt_closed a b a2
xt_clean a
if [ "${XIW_TEST_FATAL-}" = 0 ]; then
	for device in "$RD_A" "$RD_B"; do
		equal "failures of $device" 0 "$(failures "$device")"
	done
fi
good_as_new a b a2
