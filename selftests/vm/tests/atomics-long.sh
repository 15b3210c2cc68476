# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the test verbs-atomics with half a million random atomics, and with ORDs from 1 to 128.
# topology: one
# kernels: all
# timeout: 900
# group: long
# shellcheck shell=bash

ATOMIC_ORDS="1 3 16 64 128"
# shellcheck source=selftests/vm/tests/verbs-atomics.sh
. /lab/in/tests/verbs-atomics.sh
