# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Two locks that a test takes in both orders, on a kernel with lockdep.
# topology: one
# kernels: debug uml-debug
# timeout: 60
# result: not ok inversion\[one\]: kernel: WARNING: possible circular locking dependency detected
# shellcheck shell=bash

expect "the exerciser" load xiw_test
xt_open a a
xt a inversion
