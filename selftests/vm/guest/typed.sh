# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Type the lines of the docs, as a reader would.
# shellcheck shell=bash

# lines FILE SECTION START: prints the first block of code after the line that begins with START, in
# the section SECTION of docs/FILE
lines()
{
	awk -v section="## $2" -v start="$3" '
		/^## / { here = $0 == section; found = 0 }
		here && index($0, start) == 1 { found = 1 }
		found && /^    / { print substr($0, 5); block = 1 }
		block && !/^    / { exit }' "/lab/in/docs/$1"
}

# typed SIDE FILE SECTION START [NAME=VALUE...]: on SIDE, runs the lines that lines() prints, like a
# root user who types them. As a reader would, the function replaces the address and the disk of the
# docs, and gives each variable NAME its VALUE. The guest cannot reach a mirror. So apt-get only
# checks that the guest has the packages.
typed()
{
	local side=$1 text
	text=$(lines "$2" "$3" "$4")
	[ "$text" ] || fail "no lines after '$4' in '$3' of $2"
	text=${text//10.0.0.1/$IP_B}
	text=${text//\/dev\/vdb/${DISK-}}
	say "$text"
	ON_TIMEOUT=400 expect "$3, $side" on_"$side" env "${@:5}" bash -ec '
		apt-get() { dpkg -s "${@:2}" >/dev/null; }
		set -u
		eval "$1"' - "$text"
}

# file_verified DIR and disk_typed CMD: write data over the ULP, and compare the data. The ULP serves
# the folder DIR, or the disk that CMD prints.
file_verified() { fio_verify "$1/file" --size=4m && rm "$1/file"; }
disk_typed()
{
	wait_for 20 "$1" || fail "no disk"
	expect "data on the disk" fio_verify "$("$1")" --size=4m
}

# typed_begin: creates a link on each side, and a disk on side b. Sets RD_A, RD_B and DISK.
typed_begin()
{
	local side
	RD_A=xiw0 RD_B=xiw0
	for side in a b; do
		expect "modules of $side" on_$side modules_installed /lab/in/modules/*.ko
		expect "link of $side" on_$side rdma_link xiw xiw0 eth0
	done
	# Usually, udev loads this driver, but guest a has no udev.
	expect "the driver of SCSI disks" on_a modprobe sd_mod
	DISK=$(on_b nvmet_disk 64)
}

# typed_nvme, typed_nfs, typed_iser, typed_srp: type the commands for the ULP, check data, and remove
# what the commands have set up
typed_nvme()
{
	say "NVMe-oF"
	typed b install.md "NVMe-oF in five lines" "On the target"
	typed a install.md "NVMe-oF in five lines" "On the NVMe-oF host"
	disk_typed nvme_any
	expect "disconnect" nvme_down
	expect "target" on_b bash -c 'cd /sys/kernel/config/nvmet && rm ports/1/subsystems/t &&
		rmdir ports/1 subsystems/t/namespaces/1 subsystems/t && rmmod nvmet-rdma nvmet'
}
nvme_any() { nvme_disk "$(basename /sys/class/nvme/nvme*)"; }
typed_nfs()
{
	say "NFS/RDMA"
	typed b ulps.md "NFS/RDMA" "On the server"
	typed a ulps.md "NFS/RDMA" "On the client"
	grep ' /mnt .*proto=rdma' /proc/mounts || fail "not over RDMA"
	expect "a file" file_verified /mnt
	expect "unmount" umount /mnt
	expect "server" on_b systemctl stop nfs-server
}
typed_iser()
{
	say "iSER"
	typed b ulps.md "iSER" "On the target"
	iscsid_up || fail "iscsid does not start"
	typed a ulps.md "iSER" "On the initiator"
	disk_typed scsi_disk
	expect "logout" iscsiadm -m session -u
	expect "target" on_b targetcli clearconfig confirm=true
}
typed_srp()
{
	say "SRP"
	typed b ulps.md "SRP" "On the target" "acl=0x0000000000000000$(srp_guid xiw0)"
	typed a ulps.md "SRP" "On the initiator" "id=$(on_b srp_id)"
	disk_typed scsi_disk
	expect "logout" srp_logout
	expect "target" on_b srp_untarget
	expect "disk of the target" on_b targetcli clearconfig confirm=true
}
