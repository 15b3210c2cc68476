# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The variant "unbatched" of the driver handles whole queues with interrupts off. The test irqs-off
# must detect this.
# topology: one
# kernels: debug
# rnic: soft
# variants: unbatched
# timeout: 1500
# result: not ok long\[one\]: interrupts were off for [0-9]* us
# shellcheck shell=bash

expect "the variant" load xiw unbatched
# shellcheck source=selftests/vm/tests/irqs-off.sh
. /lab/in/tests/irqs-off.sh
