# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iSER works: the test writes a disk in mixed sizes and depths, copies a tree of files to it,
# compares the data, and unloads all modules. XIW_TEST_TYPE: the driver (default xiw), for instance
# siw.
# topology: one pair
# kernels: stable newest
# rnic: soft pci
# timeout: 150
# shellcheck shell=bash

again()
{
	disk_umount && iser_logout "$IP_B" && iser_login "$IP_B" && disk_mount "$(scsi_disk)"
}

expect "devices" rdma_up "$(xt_type)"
expect "target" on_b iser_up "$IP_B"
expect "login" iser_login "$IP_B"
disk=$(scsi_disk) || fail "no disk"
disk_verified "$disk" again
expect "logout" iser_logout "$IP_B"
expect "the initiator" iser_initiator_down
expect "the target" on_b iser_down
expect "no module stays" not_loaded ib_iser ib_isert
ulp_clean
