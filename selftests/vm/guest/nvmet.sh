# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# NVMe over Fabrics: targets, which are configured through configfs, and hosts, which nvme-cli
# connects.
# shellcheck shell=bash

NVMET=/sys/kernel/config/nvmet
NVMET_NQN=nqn.2014-08.org.nvmexpress:lab

# nvmet_disk MIB [KEEP]: creates a block device of MIB MiB, and prints its path. By default, the
# device stores its data in memory. If KEEP is 0, the device discards its data. Older kernels name
# the devices nullb0, nullb1 and so on, and newer kernels name a device after its configfs folder.
# The function gives the folder the next name of older kernels, so the path is the same on all
# kernels.
nvmet_disk()
{
	local n=0 dir
	[ -d /sys/module/null_blk ] || modprobe null_blk nr_devices=0 || return
	configfs_up || return
	while [ -d "/sys/kernel/config/nullb/nullb$n" ]; do
		n=$((n + 1))
	done
	dir=/sys/kernel/config/nullb/nullb$n
	mkdir "$dir" && echo "$1" >"$dir/size" && echo "${2-1}" >"$dir/memory_backed" &&
		echo 1 >"$dir/power" && echo "/dev/nullb$n"
}

configfs_up()
{
	modprobe configfs
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# nvmet_up TRTYPE ADDRESS [PORT] [FAMILY] [DISK] [SECURITY]: exports the block device DISK, by
# default a new one in memory. If this guest already exports a disk, the function adds a port for
# that disk. TRTYPE is rdma or tcp, PORT is 4420 by default, and FAMILY is ipv4 (the default) or
# ipv6. If SECURITY is tls1.3, hosts must connect to the port over TLS (nvme_psk).
nvmet_up()
{
	local type=$1 address=$2 port=${3-4420} family=${4-ipv4} disk=${5-} security=${6-} sub dir
	modprobe nvmet && modprobe "nvmet-$type" && configfs_up || return
	sub=$NVMET/subsystems/$NVMET_NQN
	if [ ! -d "$sub" ]; then
		disk=${disk:-$(nvmet_disk 256)}
		[ -b "$disk" ] || { say "no block device for the target"; return 1; }
		mkdir "$sub" && echo 1 >"$sub/attr_allow_any_host" &&
			mkdir "$sub/namespaces/1" &&
			echo -n "$disk" >"$sub/namespaces/1/device_path" &&
			echo 1 >"$sub/namespaces/1/enable" || return
	fi
	dir=$NVMET/ports/$port
	mkdir "$dir" && echo "$family" >"$dir/addr_adrfam" &&
		echo "$type" >"$dir/addr_trtype" && echo "$address" >"$dir/addr_traddr" &&
		echo "$port" >"$dir/addr_trsvcid" &&
		{ [ -z "$security" ] || echo "$security" >"$dir/addr_tsas"; } &&
		ln -s "$sub" "$dir/subsystems/$NVMET_NQN"
}

# nvmet_down: removes all targets and disks of this guest
nvmet_down()
{
	local dir
	[ ! -d "$NVMET" ] || for dir in "$NVMET"/ports/*; do
		[ -d "$dir" ] || continue
		rm -f "$dir"/subsystems/*
		rmdir "$dir"
	done
	[ ! -d "$NVMET" ] || for dir in "$NVMET"/subsystems/*; do
		[ -d "$dir" ] || continue
		rmdir "$dir"/namespaces/* "$dir"
	done
	for dir in /sys/kernel/config/nullb/*/; do
		[ -d "$dir" ] && echo 0 >"$dir/power" && rmdir "$dir"
	done
	unload nvmet_rdma nvmet_tcp nvmet
}

# nvme_up TRTYPE ADDRESS [PORT] [NVME-CLI ARGUMENT...]: connects to the target, and prints the path
# of the block device
nvme_up()
{
	local type=$1 address=$2 port=${3-4420} ctrl
	modprobe "nvme-$type" || return
	ctrl=$(within 50 nvme connect -o json -t "$type" -a "$address" -s "$port" -n "$NVMET_NQN" \
		"${@:4}" | jq -r .device) || return
	wait_for 10 nvme_disk "$ctrl" && nvme_disk "$ctrl"
}

# nvme_psk: makes a pre-shared key for this guest's host and for the target of nvmet_up, and adds it
# to the keyring of the module nvme-keyring. The agent of tls_start must have started after this
# module was loaded. With this key, "nvme_up ... --tls" uses the cipher AES-128-GCM.
nvme_psk() { nvme gen-tls-key --hmac=1 --identity=1 --subsysnqn="$NVMET_NQN" --insert; }

# nvme_disk CTRL: prints the path of the block device of the controller CTRL. With multipath, the
# block device belongs to the subsystem, and its number may differ from that of the controller.
nvme_disk()
{
	local dir subsystem
	subsystem=$(compgen -G "/sys/class/nvme-subsystem/*/$1") || :
	for dir in "/sys/class/nvme/$1"/nvme*n* "${subsystem%/*}"/nvme*n*; do
		[ -e "$dir/size" ] && [ -b "/dev/${dir##*/}" ] && { echo "/dev/${dir##*/}"; return; }
	done
	return 1
}

# nvme_down: disconnects all hosts of this guest
nvme_down()
{
	[ ! -e /sys/class/nvme ] || within 50 nvme disconnect-all
	unload nvme_rdma nvme_tcp nvme_fabrics
}

# fio_verify TARGET [FIO ARGUMENT...]: writes the first 16 MiB of the device or file TARGET in
# random order, reads them back, and compares. FIO ARGUMENTs may change this, for instance --size.
fio_verify()
{
	local out
	out=$(fio --name=verify --filename="$1" --direct=1 --ioengine=libaio \
		--rw=randwrite --bs=4k-128k --size=16m --iodepth=8 \
		--verify=crc32c --verify_fatal=1 --do_verify=1 --randrepeat=1 \
		--output-format=terse --minimal "${@:2}" 2>&1) ||
		{ printf '%s\n' "$out"; return 1; }
}
