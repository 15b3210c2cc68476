# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Background processes that a test leaves do not disturb the next test.
# topology: one
# kernels: all
# timeout: 30
# result: ok stray\[one\]
# shellcheck shell=bash

setsid bash -c "read -r <><(:)" &
disown
