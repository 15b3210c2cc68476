# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# NFS/RDMA survives disturbances of links, devices, server and memory while a file is written and
# compared.
# topology: one pair
# kernels: stable newest
# rnic: soft pci
# timeout: 900
# group: long
# shellcheck shell=bash

FILE=$NFS_MNT/file

round() { nfs_mount "$IP_B" && [ -e $FILE ] && nfs_umount; }
# given_up: ends a mount whose server does not answer, as an administrator would
given_up()
{
	umount -f $NFS_MNT
	! mountpoint -q $NFS_MNT
}

expect "devices" rdma_up "$(xt_type)"
expect "server" on_b nfs_up
# With these options, the client reports "not responding" after 15 seconds.
expect "mount" nfs_mount "$IP_B" timeo=50,retrans=2
verified_during $FILE link_cut 10
verified_during $FILE link_cut 45
verified_during $FILE on_b nfs_again
verified_during $FILE device_again a
verified_during $FILE device_again b
verified_during $FILE scarce
expect "unmounted" nfs_umount
expect "$ULP_ROUNDS mounts" rounds "$ULP_ROUNDS" round

if [ "$TOPOLOGY" = pair ]; then
	say "the machine of b dies"
	expect "mount" nfs_mount "$IP_B" timeo=50,retrans=2
	verifying $FILE
	b_dies
	pkill -KILL -x fio
	unverified 60
	wait_for 60 given_up || fail "the mount stays"
	expect "modules" nfs_unload
	ulp_clean a
	exit
fi
expect "the server" on_b nfs_down
expect "modules" nfs_unload
ulp_clean
