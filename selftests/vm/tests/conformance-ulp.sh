# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# What a ULP sees, with a wire peer at the other end: the frames of each verb in the order of
# posting, completions, messages that are not for the ULP, prerequisites, errors and their events,
# keys.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 200
# shellcheck shell=bash

xt_up
expect "all scenarios" peer_run ulp
