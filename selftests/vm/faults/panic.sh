# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test makes the guest's kernel panic. The lab must report that the guest died.
# topology: one
# kernels: all
# timeout: 30
# result: not ok panic\[one\]: guest died
# shellcheck shell=bash

echo c >/proc/sysrq-trigger
read -r <><(:)
