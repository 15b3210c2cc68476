# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Not run.
# topology: one
# kernels: all
# timeout: 30
# result: not ok after\[one\]: not run, guest died
# shellcheck shell=bash

fail "was run"
