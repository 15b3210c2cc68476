# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A module cannot be unloaded: this test fails, and no test runs after it.
# topology: one
# kernels: all
# timeout: 30
# result: not ok left\[one\]: left behind: null_blk stays loaded
# shellcheck shell=bash

disk=$(nvmet_disk 64)
mkswap "$disk"
swapon "$disk"
