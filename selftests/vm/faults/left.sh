# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A module cannot be unloaded: this test fails, and no test runs after it.
# topology: one
# kernels: all
# timeout: 30
# result: not ok left\[one\]: left behind: null_blk stays loaded
# shellcheck shell=bash

disk=$(nvmet_disk 64)
modprobe -a target_core_mod target_core_iblock
# The lab does not know this target, which keeps the disk open.
target=/sys/kernel/config/target/core/iblock_0/left
mkdir -p $target
echo "udev_path=$disk" > $target/control
echo 1 > $target/enable
