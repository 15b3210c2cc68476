# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test leaks memory. kmemleak must report this, and the test must fail.
# topology: one
# kernels: debug uml-debug
# timeout: 60
# result: not ok leak\[one\]: kernel: BUG: leak: [0-9]* objects
# shellcheck shell=bash

expect "the exerciser" load xiw_test
xt_open a a
xt a leak n=20
