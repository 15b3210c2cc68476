# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# rnbd over rtrs: a server that exports a disk in memory, and a client. If the kernel lacks their
# modules, the lab builds them by packaging/ulps/build for tests with the line "# modules: ulps".
# shellcheck shell=bash

RNBD_PORT=1234
RNBD_CTL=/sys/devices/virtual/rnbd-client/ctl
RNBD_PATHS=/sys/devices/virtual/rtrs-client/lab/paths

# rnbd_up [PARAMETER=VALUE...]: starts the server with these parameters of rtrs-server, and prints
# the path of its disk. With the default always_invalidate=Y, the server uses Send with Immediate,
# which xiw's default configuration does not permit.
rnbd_up()
{
	local load=(insmod /lab/in/modules/rtrs-server.ko)
	[ -e "${load[1]}" ] || load=(modprobe rtrs-server)
	load rtrs-core && { loaded rtrs_server || "${load[@]}" "$@"; } && rnbd_start && nvmet_disk 64
}
rnbd_start() { load rnbd-server && wait_for 20 listening $RNBD_PORT; }
rnbd_stop() { unload rnbd-server; }
rnbd_again() { rnbd_stop && rnbd_start; }

# rnbd_map ADDRESS DISK: connects to DISK of the server at ADDRESS, and prints the path of the
# client's disk
rnbd_map()
{
	load rnbd-client || return
	echo "sessname=lab path=ip:$1 device_path=$2" >$RNBD_CTL/map_device &&
		wait_for 10 rnbd_disk && rnbd_disk
}

# rnbd_disk: prints the path of the client's disk; fails if no disk is mapped
rnbd_disk()
{
	local dir
	for dir in /sys/block/rnbd*; do
		[ -b "/dev/${dir##*/}" ] && { echo "/dev/${dir##*/}"; return; }
	done
	return 1
}
rnbd_no_disk() { ! rnbd_disk; }

# rnbd_unmap [force]: unmaps all disks of the client. It tries several times, because the kernel
# may still have a new disk open.
rnbd_unmap()
{
	local dir
	for dir in /sys/block/rnbd*/rnbd; do
		[ ! -e "$dir" ] || wait_for 5 rnbd_unmap_disk "$dir" "${1-normal}" || return
	done
	wait_for 20 rnbd_no_disk
}

rnbd_unmap_disk() { echo "$2" >"$1/unmap_device"; }

# rnbd_state: prints the state of the client's path
rnbd_state() { cat $RNBD_PATHS/*/state; }
# rnbd_open: succeeds if the server has opened the disk for this client
rnbd_open() { grep -qx open /sys/block/rnbd*/rnbd/state; }
rnbd_state_is() { [ "$(rnbd_state)" = "$1" ]; }

# rnbd_client_down: unloads the modules of the client. The unload unmaps the disks. Do not unmap a
# disk immediately before the unload. A work item would then end the session and execute code of
# rnbd-client, and rmmod does not wait for this work item (docs/upstream/rnbd).
rnbd_client_down()
{
	loaded rnbd_client || return 0
	unload rnbd-client rtrs-client
}

# rnbd_down: removes the server
rnbd_down()
{
	loaded rtrs_server || return 0
	unload rnbd-server rtrs-server && nvmet_down
}

# rnbd_unload: unloads the modules that the server and the client share
rnbd_unload() { unload rtrs-core; }
