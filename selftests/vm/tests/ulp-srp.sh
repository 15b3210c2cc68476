# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SRP works: the test writes a disk in mixed sizes and depths, copies a tree of files to it,
# compares the data, and unloads all modules.
# topology: one pair
# kernels: stable newest
# rnic: soft pci
# timeout: 150
# shellcheck shell=bash

again()
{
	disk_umount && srp_logout && srp_login "$RD_A" "$IP_B" "$id" && disk_mount "$(scsi_disk)"
}

expect "devices" rdma_up "$(xt_type)"
expect "target" on_b srp_up "$RD_B" "$(srp_guid "$RD_A")"
id=$(on_b srp_id) || fail "no name: $id"
expect "login" srp_login "$RD_A" "$IP_B" "$id"
disk=$(scsi_disk) || fail "no disk"
disk_verified "$disk" again
expect "logout" srp_logout
expect "the initiator" srp_initiator_down
expect "the target" on_b srp_down
expect "no module stays" not_loaded ib_srp ib_srpt
ulp_clean
