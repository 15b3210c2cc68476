# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SMB Direct works: the test writes a file in mixed sizes and depths, copies a tree of files, and
# compares the data. It also writes and compares a file with signing and, on kernels with the module
# smbdirect, with encryption. Then it unloads all modules.
# XIW_TEST_TYPE: the driver (default xiw), for instance siw.
# topology: one pair
# kernels: stable newest
# modules: ulps
# rnic: soft pci
# timeout: 200
# shellcheck shell=bash

again() { smb_umount && smb_mount "$IP_B"; }

# carried N: checks that RDMA carries the mount, and that the xiw device has N connections
carried()
{
	smb_shown 'Features:.*SMB_DIRECT' && smb_shown '^SMBDirect ' || fail "not over RDMA"
	[ "$(xt_type)" != xiw ] ||
		told_is a "$1" '[.connections[] | select(.role == "initiator")] | length' \
			conn "$RD_A"
}

expect "devices" rdma_up "$(xt_type)"
expect "server" on_b smb_up
expect "mount" smb_mount "$IP_B"
carried 1
expect "a file" fio_mixed $SMB_MNT/file
tree_moved $SMB_MNT again
expect "what smbinfo reports" smbinfo filebasicinfo $SMB_MNT/file
expect "unmounted" smb_umount

# With signing or encryption, messages carry the data of a mount, and RDMA Reads and Writes do not.
# Test encryption only on kernels with the module smbdirect. On other kernels, ksmbd omits the
# header of an encrypted response over RDMA (smb_direct_writev).
options=(sign:signed)
! loaded smbdirect || options+=(seal:encrypted)
for option in "${options[@]}"; do
	say "with ${option%:*}"
	expect "mount" smb_mount "$IP_B" ${option%:*}
	carried 1
	smb_shown " ${option#*:}" || fail "not ${option#*:}"
	expect "a file" fio_verify $SMB_MNT/file --size=4m
	expect "unmounted" smb_umount
done

expect "the client" smb_client_down
expect "the server" on_b smb_down
for side in a b; do
	expect "modules of $side" on_$side smb_unload
done
ulp_clean
