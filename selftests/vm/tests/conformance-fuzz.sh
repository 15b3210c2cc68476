# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# For a few seconds, a peer makes mistakes in MPA frames and FPDUs, as initiator and as responder.
# Each session ends, the data of a busy connection of the same device stays correct, and no object
# is left. All runs begin with the same sessions; the test conformance-fuzz-long has new sessions.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 150
# shellcheck shell=bash

xt_up
peer_fuzz 7306 8
