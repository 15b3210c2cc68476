# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test succeeds, but the kernel log contains a splat. The test must fail.
# topology: one
# kernels: all
# timeout: 30
# result: not ok splat\[one\]: kernel: BUG: planted
# shellcheck shell=bash

echo "BUG: planted" >/dev/kmsg
