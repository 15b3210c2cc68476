# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The file "skips" does not list this test, so the lab must report its skip as a failure.
# topology: one
# kernels: all
# timeout: 30
# result: not ok unlisted\[one\]: unexpected skip: a feature
# shellcheck shell=bash

skip "a feature"
