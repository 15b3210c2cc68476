# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A module that cannot go: this test fails, and none runs after it.
# topology: one
# kernels: all
# timeout: 30
# result: not ok left\[one\]: left behind: null_blk stays loaded
# shellcheck shell=bash

disk=$(nvmet_disk 64)
mkswap "$disk"
swapon "$disk"
