# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A test that does not end must fail at its time limit.
# topology: one
# kernels: all
# timeout: 3
# result: not ok endless\[one\]: no end within [0-9]* s
# shellcheck shell=bash

read -r <><(:)
