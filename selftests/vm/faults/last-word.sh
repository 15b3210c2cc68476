# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test announces the death of guest b by calling b_dies, so the test must pass. The lab boots
# guest b again for the next test.
# topology: pair
# kernels: all
# timeout: 60
# result: ok last-word\[pair\]
# shellcheck shell=bash

b_dies
if on_b true; then fail "a dead guest answers"; fi
