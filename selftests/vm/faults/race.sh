# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Two threads change a counter without a lock. KCSAN must report this, and the test must fail.
# topology: one
# kernels: kcsan
# timeout: 60
# result: not ok race\[one\]: kernel: BUG: KCSAN: data-race in race .* / race
# shellcheck shell=bash

expect "the exerciser" load xiw_test
xt_open a a
xt a race
