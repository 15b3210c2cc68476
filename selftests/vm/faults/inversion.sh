# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test takes two locks in both orders. lockdep must report this, and the test must fail.
# topology: one
# kernels: debug uml-debug
# timeout: 60
# result: not ok inversion\[one\]: kernel: WARNING: possible circular locking dependency detected
# shellcheck shell=bash

expect "the exerciser" load xiw_test
xt_open a a
xt a inversion
