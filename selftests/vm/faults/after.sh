# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test before this one kills the guest, so the lab must not run this test.
# topology: one
# kernels: all
# timeout: 30
# result: not ok after\[one\]: not run, guest died
# shellcheck shell=bash

fail "was run"
