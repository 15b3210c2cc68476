# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# NFS/RDMA works: the test writes a file in mixed sizes and depths, copies a tree of files, compares
# the data, and unloads all modules. XIW_TEST_TYPE: the driver (default xiw), for instance siw.
# topology: one pair
# kernels: stable newest
# rnic: soft pci
# timeout: 150
# shellcheck shell=bash

again() { nfs_umount && nfs_mount "$IP_B"; }

expect "devices" rdma_up "$(xt_type)"
expect "server" on_b nfs_up
expect "mount" nfs_mount "$IP_B"
nfs_over_rdma || fail "not over RDMA"
expect "a file" fio_mixed $NFS_MNT/file
tree_moved $NFS_MNT again
expect "the client" nfs_umount
expect "the server" on_b nfs_down
expect "modules" nfs_unload
expect "no module stays" not_loaded rpcrdma
ulp_clean
