# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A failed condition.
# topology: one
# kernels: all
# timeout: 30
# result: not ok status\[one\]: wanted so
# shellcheck shell=bash

fail "wanted so"
