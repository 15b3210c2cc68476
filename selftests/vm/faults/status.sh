# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test calls fail(). The lab must report the message.
# topology: one
# kernels: all
# timeout: 30
# result: not ok status\[one\]: wanted so
# shellcheck shell=bash

fail "wanted so"
