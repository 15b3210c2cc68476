# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A dead guest.
# topology: one
# kernels: all
# timeout: 30
# result: not ok panic\[one\]: guest died
# shellcheck shell=bash

echo c >/proc/sysrq-trigger
read -r <><(:)
