# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A command fails, and the test does not check its status. The test must fail.
# topology: one
# kernels: all
# timeout: 30
# result: not ok unchecked\[one\]: line [0-9]*: false
# shellcheck shell=bash

false
say "went on"
