# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A skip that is not expected.
# topology: one
# kernels: all
# timeout: 30
# result: not ok unlisted\[one\]: unexpected skip: a feature
# shellcheck shell=bash

skip "a feature"
