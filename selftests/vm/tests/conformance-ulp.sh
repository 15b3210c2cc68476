# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Posts and completions of a ULP, with a wire peer at the other end: the frames of each verb in the
# order of posting, when a request completes, messages that are not reported to the ULP, errors and
# their events, and the invalidation of keys.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 200
# shellcheck shell=bash

xt_up
expect "all scenarios" peer_run ulp
