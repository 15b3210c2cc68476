# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Not run.
# topology: pair
# kernels: all
# timeout: 30
# result: not ok unheard\[pair\]: not run, the test before left too much
# shellcheck shell=bash

fail "was run"
