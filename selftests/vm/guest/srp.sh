# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SRP over rdma_cm, between LIO's target and the kernel's initiator.
# shellcheck shell=bash

SRP_PORT=5555

# srp_guid DEVICE: prints the 16 hexadecimal digits of the GUID of the RDMA device
srp_guid() { tr -d ':\n' <"/sys/class/infiniband/$1/node_guid"; }

# srp_tpg DEVICE: prints the configfs folder of the portal group of the RDMA device. The folder is
# named after GID 0.
srp_tpg()
{
	local gid
	gid=0xfe80000000000000$(srp_guid "$1") && printf '%s' "$LIO/srpt/$gid/$gid"
}

# srp_up DEVICE GUID: starts the target on the RDMA device, for the initiator whose device has this
# GUID
srp_up()
{
	lio_up && modprobe ib_srpt && mkdir $LIO/srpt &&
		echo $SRP_PORT >$LIO/srpt/discovery_auth/rdma_cm_port && srp_target "$@"
}

# srp_target DEVICE GUID: makes the portal group of the RDMA device, for the initiator with this
# GUID
srp_target()
{
	local tpg acl=0x0000000000000000$2
	tpg=$(srp_tpg "$1") && mkdir -p "$tpg" && mkdir "$tpg/lun/lun_0" &&
		ln -s $LIO_DISK "$tpg/lun/lun_0/lab" &&
		mkdir "$tpg/acls/$acl" "$tpg/acls/$acl/lun_0" &&
		ln -s "$tpg/lun/lun_0" "$tpg/acls/$acl/lun_0/lab" && srp_enable "$1" 1
}
srp_target_again() { srp_untarget && srp_target "$@"; }
srp_untarget()
{
	local tpg
	for tpg in $LIO/srpt/0x*/*/enable; do
		[ ! -e "$tpg" ] || echo 0 >"$tpg"
	done
	lio_folders $LIO/srpt
	! compgen -G "$LIO/srpt/0x*" >/dev/null
}
srp_enable() { echo "$2" >"$(srp_tpg "$1")/enable"; }

# srp_down: removes the target, and unloads its modules
srp_down()
{
	loaded ib_srpt || return 0
	srp_untarget
	lio_down srpt || return
	unload ib_srpt && lio_unload
}

# srp_id: prints the GUID by which initiators name this target
srp_id() { sed 's/^0x//' /sys/module/ib_srpt/parameters/srpt_service_guid; }

# srp_login DEVICE ADDRESS ID: connects from the RDMA device to the target at ADDRESS, and waits for
# the disk. ID is the output of srp_id.
srp_login()
{
	local SRP_ERROR=''
	modprobe ib_srp && modprobe sd_mod || return
	wait_for 10 srp_add "/sys/class/infiniband_srp/srp-$1-1" \
		"id_ext=$3,ioc_guid=$3,dest=$2:$SRP_PORT" &&
		[ -z "$SRP_ERROR" ] && wait_for 20 scsi_disk && return
	say "$SRP_ERROR"
	return 1
}
# srp_add HOST TARGET: connects to the target, by writing the description TARGET to a file of HOST,
# the initiator's folder in sysfs. Sets SRP_ERROR to the error of the write, or to nothing if the
# write succeeds. Returns 1 only while ib_srp still has an old session with the target.
srp_add() { SRP_ERROR=$({ echo "$2" >"$1/add_target"; } 2>&1) || [[ $SRP_ERROR != *exists* ]]; }
# srp_patience FAST LOSS: configures what happens when the connection is lost: I/O fails after FAST
# seconds, and the disk is removed after LOSS seconds
srp_patience()
{
	local port
	port=$(srp_ports) && echo off >"$port/dev_loss_tmo" && echo "$1" >"$port/fast_io_fail_tmo" &&
		echo "$2" >"$port/dev_loss_tmo" && echo 5 >"$port/reconnect_delay"
}
srp_ports() { ls -d /sys/class/srp_remote_ports/port-*; }
srp_no_ports() { ! srp_ports 2>/dev/null; }
srp_logout()
{
	local port
	for port in $(srp_ports); do
		echo 1 >"$port/delete" || return
	done
	wait_for 20 srp_no_ports && wait_for 10 scsi_no_disk
}

# srp_initiator_down: ends all sessions, and unloads the initiator
srp_initiator_down()
{
	loaded ib_srp || return 0
	srp_no_ports >/dev/null || srp_logout
	unload ib_srp scsi_transport_srp sd_mod
}
