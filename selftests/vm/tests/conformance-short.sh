# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A peer sends a valid Reply, but the kernel has no memory for the stream. The peer receives a
# Terminate, and no object of the connection is left.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 120
# not-debug: a kprobe makes a call fail, and that kernel has no kprobes
# not-uml: a kprobe makes a call fail, and User-Mode Linux has no kprobes
# shellcheck shell=bash

xt_up
# The scenario asks-and-is-short-below makes the software RNIC short of memory, so omit this
# scenario with a PCIe RNIC.
only=()
! rnic_pci || only=(--only asks-and-is-short-above)
expect "all scenarios" peer_run short "${only[@]}"
expect "the exerciser" unload xiw_test
expect "the driver" unload xiw
