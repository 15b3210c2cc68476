# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Freed memory that a test reads, on a kernel with KASAN.
# topology: one
# kernels: debug uml-debug
# timeout: 60
# result: not ok stale\[one\]: kernel: BUG: KASAN: slab-use-after-free in xt_stale_command
# shellcheck shell=bash

expect "the exerciser" load xiw_test
xt_open a a
xt a stale
