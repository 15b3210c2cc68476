# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A good Reply, and no memory for the stream that it opens: the peer gets a Terminate, and
# nothing of the connection is left.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 120
# not-debug: memory is made short by a kprobe, which that kernel does not have
# not-uml: memory is made short by a kprobe, which User-Mode Linux does not have
# shellcheck shell=bash

xt_up
# Below the RNIC interface, the software RNIC lacks memory.
only=()
! rnic_pci || only=(--only asks-and-is-short-above)
expect "all scenarios" peer_run short "${only[@]}"
expect "the exerciser" unload xiw_test
expect "the driver" unload xiw
