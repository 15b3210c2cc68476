# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iSER: a disk is written in mixed sizes and depths and compared, a tree of files too, and
# everything can be unloaded. XIW_TEST_TYPE: siw, or another iWARP driver.
# topology: one pair
# kernels: stable newest
# rnic: soft pci
# timeout: 150
# shellcheck shell=bash

again()
{
	scsi_umount && iser_logout "$IP_B" && iser_login "$IP_B" && scsi_mount "$(scsi_disk)"
}

expect "devices" rdma_up "$(xt_type)"
expect "target" on_b iser_up "$IP_B"
expect "login" iser_login "$IP_B"
disk=$(scsi_disk) || fail "no disk"
expect "the disk" fio_mixed "$disk"
expect "a file system" scsi_format "$disk"
expect "mounted" scsi_mount "$disk"
tree_moved $SCSI_MNT again
expect "unmounted" scsi_umount
expect "logout" iser_logout "$IP_B"
expect "the initiator" iser_initiator_down
expect "the target" on_b iser_down
for module in ib_iser ib_isert; do
	[ ! -d /sys/module/$module ] || fail "$module stays"
done
ulp_clean
