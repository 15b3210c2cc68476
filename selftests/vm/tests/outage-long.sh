# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the first steps of outage.sh, and keeps the link down for 30 seconds.
# topology: netns pair
# kernels: all
# rnic: soft
# timeout: 240
# group: long
# shellcheck shell=bash

# shellcheck disable=SC2034
OUTAGE=30 OUTAGE_ONLY=1
# shellcheck source=selftests/vm/tests/outage.sh
. /lab/in/tests/outage.sh
