# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A ULP posts work requests, and the wire peer is the other end of the connection. The scenarios
# check that the frames of all verbs are correct and in the order of posting. They also check when a
# request completes, which messages are not reported to the ULP, errors and their events, and the
# invalidation of STags.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 200
# shellcheck shell=bash

xt_up
expect "all scenarios" peer_run ulp
