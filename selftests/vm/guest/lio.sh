# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions that iser.sh and srp.sh share. They create LIO's disk through configfs, and find the
# SCSI disk of the initiator.
# shellcheck shell=bash

LIO=/sys/kernel/config/target
LIO_DISK=$LIO/core/iblock_0/lab

# lio_up: makes LIO's disk, of 64 MiB in memory
lio_up()
{
	local disk
	modprobe target_core_mod && modprobe target_core_iblock && configfs_up || return
	disk=$(nvmet_disk 64) || return
	mkdir -p $LIO_DISK && echo "udev_path=$disk" >$LIO_DISK/control && echo 1 >$LIO_DISK/enable
}

# lio_down FABRIC: removes LIO's disk and the configfs folders of FABRIC, which is iscsi or srpt
lio_down()
{
	local path
	[ -d $LIO ] || return 0
	[ ! -d "$LIO/$1" ] || lio_folders "$LIO/$1"
	[ ! -d "$LIO/$1" ] || rmdir "$LIO/$1" || return
	for path in $LIO_DISK ${LIO_DISK%/*}; do
		[ ! -d "$path" ] || rmdir "$path" || return
	done
}

# lio_folders FOLDER: removes the links and folders in FOLDER, starting with the innermost ones.
# Folders that the kernel itself created remain, because rmdir fails for them.
lio_folders()
{
	find "$1" -type l -delete
	find "$1" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null || :
}

# lio_unload: unloads the modules of LIO
lio_unload()
{
	nvmet_down
	unload target_core_file target_core_pscsi target_core_user target_core_iblock target_core_mod
}

# scsi_disk: prints the path of this guest's SCSI disk; fails if no disk is running
scsi_disk()
{
	local dir
	for dir in /sys/block/sd*; do
		[ -e "$dir/size" ] && [ "$(<"$dir/size")" -gt 0 ] && [ -b "/dev/${dir##*/}" ] &&
			[ "$(<"$dir/device/state")" = running ] && { echo "/dev/${dir##*/}"; return; }
	done
	return 1
}
scsi_no_disk() { ! compgen -G '/sys/block/sd*/size' >/dev/null; }
