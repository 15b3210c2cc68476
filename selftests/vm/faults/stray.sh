# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A background process that the test leaves must not disturb the next test.
# topology: one
# kernels: all
# timeout: 30
# result: ok stray\[one\]
# shellcheck shell=bash

setsid bash -c "read -r <><(:)" &
disown
