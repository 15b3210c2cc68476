# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test reads freed memory. KASAN must report this, and the test must fail.
# topology: one
# kernels: debug uml-debug
# timeout: 60
# result: not ok stale\[one\]: kernel: BUG: KASAN: slab-use-after-free in xt_stale_command
# shellcheck shell=bash

expect "the exerciser" load xiw_test
xt_open a a
xt a stale
