# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test leaves a module that cannot be unloaded. The test must fail, and the lab must not run the
# next test.
# topology: one
# kernels: all
# timeout: 30
# result: not ok left\[one\]: left behind: null_blk stays loaded
# shellcheck shell=bash

disk=$(nvmet_disk 64)
modprobe -a target_core_mod target_core_iblock
# The lab does not remove this target, which keeps the disk open.
target=/sys/kernel/config/target/core/iblock_0/left
mkdir -p $target
echo "udev_path=$disk" > $target/control
echo 1 > $target/enable
