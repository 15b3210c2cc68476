# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Guest b dies at the request of the test; the next test gets another guest b.
# topology: pair
# kernels: all
# timeout: 60
# result: ok last-word\[pair\]
# shellcheck shell=bash

b_dies
if on_b true; then fail "a dead guest answers"; fi
