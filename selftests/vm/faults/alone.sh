# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Guest b dies, and the test has not called b_dies. The test must fail.
# topology: pair
# kernels: all
# timeout: 60
# result: not ok alone\[pair\]: left behind: guest b did not answer
# shellcheck shell=bash

expect "guest b" on_b true
b_reset
