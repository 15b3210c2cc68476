# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# For a few seconds, a peer makes mistakes in MPA frames and FPDUs, in both roles. The sessions are
# the same in each run; conformance-fuzz-long uses new sessions. Each session ends, a busy
# connection of the same device is verified, and nothing is left.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 150
# shellcheck shell=bash

xt_up
peer_fuzz 7306 8
