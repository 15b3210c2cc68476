# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Before the machine sleeps, the driver removes the device of a PCIe RNIC, while all tasks still
# run: a ULP such as nfsd needs its tasks to let a device go. After the sleep, the driver adds a
# device, and NFS continues. The kernel freezes all tasks, and does not suspend devices, because the
# guest's virtual devices cannot be suspended.
# topology: one
# kernels: all
# rnic: pci
# timeout: 180
# shellcheck shell=bash

# link_of INTERFACE FIELD: prints a FIELD of the RDMA device of the INTERFACE
link_of() { rdma -j link show | jq -r ".[] | select(.netdev == \"$1\").$2"; }
# named: gives the new devices the names of the old ones
named()
{
	rdma dev set "$(link_of "$DEV_A" ifname)" name "$RD_A" &&
		rdma dev set "$(link_of "$DEV_B" ifname)" name "$RD_B"
}
sleeps() { echo freezer >/sys/power/pm_test && echo freeze >/sys/power/state; }

expect "devices" rdma_up "$(xt_type)"
expect "server" on_b nfs_up
expect "mount" nfs_mount "$IP_B"
nfs_over_rdma || fail "not over RDMA"
before=$(link_of "$DEV_A" ifindex)
verified_during $NFS_MNT/file sleeps
# No device was suspended. So a new index shows that the device was removed before the sleep.
after=$(link_of "$DEV_A" ifindex)
[ "$after" ] && [ "$after" != "$before" ] || fail "the device was not removed: '$after'"
expect "names" named
expect "the client" nfs_umount
expect "the server" on_b nfs_down
expect "modules" nfs_unload
ulp_clean
