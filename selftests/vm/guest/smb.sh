# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SMB Direct (CARRIER is rdma), or SMB over TCP (CARRIER is tcp): the server ksmbd, which shares a
# folder in memory, and the client cifs. If the kernel lacks their modules, the lab builds them by
# packaging/ulps/build for tests with the line "# modules: ulps".
# shellcheck shell=bash

declare -A SMB_PORT=([rdma]=5445 [tcp]=445)
SMB_SHARE=/run/share
SMB_MNT=/run/smb	# mount point of the client
SMB_DEBUG=/proc/fs/cifs/DebugData

# smb_up [LINE...]: starts the server; each LINE goes into the global section of its configuration.
# ksmbd uses port 5445 only if there is an iWARP device.
smb_up()
{
	load ksmbd || return
	mkdir -p $SMB_SHARE /etc/ksmbd
	{
		echo "[global]"
		[ $# -eq 0 ] || printf '%s\n' "$@"
		printf '%s\n' "[share]" "path = $SMB_SHARE" "read only = no"
	} >/etc/ksmbd/ksmbd.conf
	rm -f /etc/ksmbd/ksmbdpwd.db
	ksmbd.adduser -a -p lab root && smb_start
}
# smb_start: starts the server with its current configuration, and waits until it listens
smb_start()
{
	load ksmbd && ksmbd.mountd && wait_for 20 smb_listens
}
# smb_listens: succeeds if the server listens over CARRIER
smb_listens()
{
	if [ $CARRIER = rdma ]; then
		listening "${SMB_PORT[rdma]}"
	else
		tcp_listening "${SMB_PORT[tcp]}"
	fi
}

# smb_stop: ends the server. Its sessions and listeners end when the module is unloaded.
smb_stop()
{
	loaded ksmbd || return 0
	program_over ksmbd.mountd || ksmbd.control -s
	wait_for 20 program_over ksmbd.mountd || return
	# The lab's init does not reap ksmbd.mountd. The next ksmbd.mountd would treat the lock of
	# this zombie as held, so remove the lock.
	rm -f /run/ksmbd.lock
	unload ksmbd
}
smb_again() { smb_stop && smb_start; }

# smb_down: stops the server, and removes the shared folder
smb_down()
{
	smb_stop || return
	[ ! -d $SMB_SHARE ] || rm -r $SMB_SHARE
}

# smb_mount ADDRESS [OPTION,...]: mounts the share of the server at ADDRESS, with further options of
# mount
smb_mount()
{
	local options=vers=3.1.1,port=${SMB_PORT[$CARRIER]},username=root,password=lab${2:+,$2}
	[ $CARRIER != rdma ] || options+=,rdma
	load cifs && mkdir -p $SMB_MNT && within 50 mount -t cifs -o "$options" "//$1/share" $SMB_MNT
}
smb_umount() { ! smb_mounted || within 50 umount $SMB_MNT; }
# smb_mounted: succeeds if the share is mounted. It does not use mountpoint(1), which calls stat()
# and so waits for the server.
smb_mounted() { grep -q " $SMB_MNT cifs " /proc/mounts; }

# smb_client_down: unmounts the share, and unloads the client when its threads have ended
smb_client_down()
{
	smb_umount || return
	! loaded cifs || { wait_for 30 smb_unused && unload cifs; }
}
# smb_abandon: does the same as smb_client_down, even if the server does not answer
smb_abandon()
{
	loaded cifs || return 0
	! smb_mounted || within 50 umount -f -l $SMB_MNT || return
	smb_client_down
}
smb_unused() { [ "$(</sys/module/cifs/refcnt)" = 0 ]; }

# smb_unload: unloads the modules of the server and the client
smb_unload() { unload cifs ksmbd smbdirect; }

# smb_shown EXPRESSION: prints the lines of the client's debug data that match the extended regular
# expression; succeeds if a line matches
smb_shown() { grep -E "$1" $SMB_DEBUG; }
