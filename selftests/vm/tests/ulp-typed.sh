# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The commands of docs/ulps.md, and those of docs/install.md for NVMe-oF, work as they are written,
# except that typed() replaces the address, the disk and apt-get. The test types these commands on a
# server with systemd, which is guest b, and on a client, which is guest a. When a ULP is set up,
# the test writes data over this ULP, and compares the data.
# topology: pair
# kernels: stable
# disk: systemd
# modules: ulps
# memory: 2048
# timeout: 900
# shellcheck shell=bash

# file_verified and disk_typed: write data over the ULP, and compare the data
file_verified() { fio_verify "$1/file" --size=4m && rm "$1/file"; }
disk_typed()
{
	wait_for 20 "$1" || fail "no disk"
	expect "data on the disk" fio_verify "$("$1")" --size=4m
}

RD_A=xiw0 RD_B=xiw0
for side in a b; do
	expect "modules of $side" on_$side modules_installed /lab/in/modules/*.ko
	expect "link of $side" on_$side rdma_link xiw xiw0 eth0
done
# Usually, udev loads this driver, but guest a has no udev.
expect "the driver of SCSI disks" on_a modprobe sd_mod
# systemd has loaded Debian's ksmbd at the boot of b. As docs/ulps.md says, unload this module.
expect "Debian's ksmbd" on_b modprobe -r ksmbd
DISK=$(on_b nvmet_disk 64)

say "NVMe-oF"
typed b install.md "NVMe-oF in five lines" "On the target"
typed a install.md "NVMe-oF in five lines" "On the NVMe-oF host"
nvme_any() { nvme_disk "$(basename /sys/class/nvme/nvme*)"; }
disk_typed nvme_any
expect "disconnect" nvme_down
expect "target" on_b bash -c 'cd /sys/kernel/config/nvmet && rm ports/1/subsystems/t &&
	rmdir ports/1 subsystems/t/namespaces/1 subsystems/t && rmmod nvmet-rdma nvmet'

say "NFS/RDMA"
typed b ulps.md "NFS/RDMA" "On the server"
typed a ulps.md "NFS/RDMA" "On the client"
grep ' /mnt .*proto=rdma' /proc/mounts || fail "not over RDMA"
expect "a file" file_verified /mnt
expect "unmount" umount /mnt
expect "server" on_b systemctl stop nfs-server

say "SMB Direct"
typed b ulps.md "SMB Direct" "On the server"
wait_for 20 on_b smb_listens || fail "ksmbd does not listen"
typed a ulps.md "SMB Direct" "On the client"
grep -E 'SMBDirect' $SMB_DEBUG || fail "not over RDMA"
expect "a file" file_verified /mnt
expect "unmount" umount /mnt
expect "server" on_b systemctl stop ksmbd

say "iSER"
typed b ulps.md "iSER" "On the target"
iscsid_up || fail "iscsid does not start"
typed a ulps.md "iSER" "On the initiator"
disk_typed scsi_disk
expect "logout" iscsiadm -m session -u
expect "target" on_b targetcli clearconfig confirm=true

say "SRP"
typed b ulps.md "SRP" "On the target" "acl=0x0000000000000000$(srp_guid xiw0)"
typed a ulps.md "SRP" "On the initiator" "id=$(on_b srp_id)"
disk_typed scsi_disk
expect "logout" srp_logout
expect "target" on_b srp_untarget
expect "disk of the target" on_b targetcli clearconfig confirm=true

say "rnbd"
typed b ulps.md "rnbd over rtrs" "On the server"
wait_for 20 on_b listening $RNBD_PORT || fail "rnbd-server does not listen"
typed a ulps.md "rnbd over rtrs" "On the client"
disk_typed rnbd_disk
expect "client" rnbd_client_down
expect "server" on_b rnbd_down
