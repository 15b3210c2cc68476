# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Guest b died in the test before this one, so the lab must not run this test.
# topology: pair
# kernels: all
# timeout: 30
# result: not ok unheard\[pair\]: not run, the test before left too much
# shellcheck shell=bash

fail "was run"
