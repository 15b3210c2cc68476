# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iSER (CARRIER is rdma), or iSCSI over TCP (CARRIER is tcp), between LIO's target and the initiator
# of open-iscsi.
# shellcheck shell=bash

ISER_IQN=iqn.2003-01.org.linux-iscsi:lab
ISER_TPG=/sys/kernel/config/target/iscsi/$ISER_IQN/tpgt_1
ISER_PORT=3260

# iser_up ADDRESS: starts the target, with a portal at ADDRESS
iser_up()
{
	local name
	lio_up && modprobe iscsi_target_mod && modprobe ib_isert &&
		mkdir -p "$ISER_TPG/lun/lun_0" && ln -s $LIO_DISK "$ISER_TPG/lun/lun_0/lab" || return
	echo 0 >"$ISER_TPG/attrib/authentication"
	echo 0 >"$ISER_TPG/attrib/demo_mode_write_protect"
	for name in generate_node_acls cache_dynamic_acls; do
		echo 1 >"$ISER_TPG/attrib/$name"
	done
	iser_listen "$1" && iser_enable 1
}

# iser_listen ADDRESS: makes the portal at ADDRESS. For iSER, LIO also creates a TCP listener at the
# same address and port. Over iWARP, the iSER listener needs this TCP port, so the TCP listener is
# in another network namespace (docs/ulps.md).
iser_listen()
{
	local np=$ISER_TPG/np/$1:$ISER_PORT
	[ $CARRIER = rdma ] || { mkdir "$np"; return; }
	[ -e /run/netns/lio ] || ip netns add lio || return
	nsenter --net=/run/netns/lio mkdir "$np" && echo 1 >"$np/iser"
}
iser_unlisten() { rmdir "$ISER_TPG/np/$1:$ISER_PORT"; }
iser_listen_again() { iser_unlisten "$1" && iser_listen "$1"; }
iser_enable() { echo "$1" >"$ISER_TPG/enable"; }

# iser_down: removes the target
iser_down()
{
	loaded iscsi_target_mod || return 0
	[ ! -d "$ISER_TPG" ] || { iser_enable 0; lio_folders "$LIO/iscsi"; }
	lio_down iscsi || return
	[ ! -e /run/netns/lio ] || ip netns del lio
	unload ib_isert iscsi_target_mod && lio_unload
}

# iscsi COMMAND...: runs iscsiadm COMMAND for the target's node at $ADDRESS, with a time limit
iscsi()
{
	local interface=default
	[ $CARRIER != rdma ] || interface=iser
	within 60 iscsiadm -m node -T $ISER_IQN -p "$ADDRESS:$ISER_PORT" -I $interface "$@"
}

# iser_login ADDRESS [KEY=VALUE...]: connects to the target at ADDRESS with these settings of the
# node, and waits for the disk
iser_login()
{
	local ADDRESS=$1 setting module=ib_iser
	[ $CARRIER = rdma ] || module=iscsi_tcp
	modprobe $module && modprobe sd_mod && iscsid_up || return
	iscsi -o new >/dev/null || return
	for setting in "${@:2}"; do
		iscsi -o update -n "${setting%%=*}" -v "${setting#*=}" || return
	done
	iscsi --login >/dev/null && wait_for 20 scsi_disk && iser_stay_on
}

# iser_stay_on: turns runtime power management off for the SCSI targets. With power management, the
# removal of a target may flush a work item of the workqueue "pm", which has no WQ_MEM_RECLAIM. The
# removal runs on a workqueue of scsi_transport_iscsi with WQ_MEM_RECLAIM, so 6.12 warns about the
# flush. A kernel without power management does not have the file power/control.
iser_stay_on()
{
	local control
	for control in /sys/bus/scsi/devices/target*/power/control; do
		[ ! -e "$control" ] || echo on >"$control" || return
	done
}
iser_logout()
{
	local ADDRESS=$1
	iscsi --logout >/dev/null && wait_for 10 scsi_no_disk
}
iscsid_up()
{
	! program_over iscsid || { mkdir -p /run/lock/iscsi && iscsid; }
}

# iser_initiator_down: ends all sessions and the daemon
iser_initiator_down()
{
	loaded scsi_transport_iscsi || return 0
	if [ -n "$(ls /sys/class/iscsi_session)" ]; then
		iscsid_up
		within 60 iscsiadm -m session -u
	fi
	program_end iscsid || return
	rm -rf /var/lib/iscsi/nodes /etc/iscsi/nodes
	unload ib_iser iscsi_tcp libiscsi_tcp libiscsi scsi_transport_iscsi sd_mod
}
