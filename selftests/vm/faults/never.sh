# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test before this one leaves a module, so the lab must not run this test.
# topology: one
# kernels: all
# timeout: 30
# result: not ok never\[one\]: not run, the test before left too much
# shellcheck shell=bash

fail "was run"
