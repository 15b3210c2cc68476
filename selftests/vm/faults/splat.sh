# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A splat of a test that reports success.
# topology: one
# kernels: all
# timeout: 30
# result: not ok splat\[one\]: kernel: BUG: planted
# shellcheck shell=bash

echo "BUG: planted" >/dev/kmsg
