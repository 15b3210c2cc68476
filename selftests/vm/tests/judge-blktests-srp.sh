# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the tests of blktests for SRP, with dm-multipath above it. User-Mode Linux lacks some of the
# kernel's modules that these tests need.
# topology: netns
# kernels: stable
# group: judges
# disk: programs
# memory: 3072
# timeout: 3000
# shellcheck shell=bash

cp -a /lab/in/blktests /tmp/ || fail "no blktests"
blktests_up blktests-srp
# The tests check this option in the configuration of the kernel. Debian's kernel has the option.
echo CONFIG_DM_UEVENT=y >"/boot/config-$(uname -r)"
echo TIMEOUT=30 >>/tmp/blktests/config
# The tests find a multipath device by a name that udev gives it.
/usr/lib/systemd/systemd-udevd --daemon || fail "no udev"
udevadm trigger
udevadm settle
blktests_run srp 2800 11
