# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# NFS/RDMA (CARRIER is rdma), or NFS over TCP (CARRIER is tcp): a server that exports a folder in
# memory, and a client.
# shellcheck shell=bash

NFSD=/proc/fs/nfsd
declare -A NFS_PORT=([rdma]=20049 [tcp]=2049)
NFS_MNT=/run/mnt	# mount point of the client

# nfs_up: starts the server
nfs_up()
{
	modprobe nfsd && modprobe rpcrdma || return
	mountpoint -q $NFSD || mount -t nfsd nfsd $NFSD || return
	mkdir -p /run/export /run/rpc_pipefs
	mountpoint -q /run/rpc_pipefs || mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs || return
	nfsdcld && rpc.mountd -N 3 &&
		exportfs -o rw,no_root_squash,no_subtree_check,insecure,fsid=0 '*:/run/export' &&
		nfs_start
}

# nfs_start: makes the server listen. After a restart, clients have ten seconds to reclaim their
# state.
nfs_start()
{
	echo "-3 +4 +4.1 +4.2" >$NFSD/versions
	echo 10 >$NFSD/nfsv4leasetime && echo 10 >$NFSD/nfsv4gracetime &&
		echo "$CARRIER ${NFS_PORT[$CARRIER]}" >$NFSD/portlist && echo 4 >$NFSD/threads
}
nfs_stop() { echo 0 >$NFSD/threads; }
nfs_again() { nfs_stop && nfs_start; }

# nfs_down: stops the server and removes everything that it used
nfs_down()
{
	if loaded nfsd; then
		! mountpoint -q $NFSD || { nfs_stop; exportfs -au; umount $NFSD; }
		program_end rpc.mountd && program_end nfsdcld || return
	fi
	! mountpoint -q /run/rpc_pipefs || umount /run/rpc_pipefs || return
	rm -rf /run/export /var/lib/nfs/nfsdcld/*
	nfs_unload
}

# nfs_unload: unloads the modules of server and client, unless the server or the client is still in
# use in this guest. Tries repeatedly, because the client keeps its transport for some time after
# the unmount.
nfs_unload()
{
	mountpoint -q $NFSD || mountpoint -q $NFS_MNT || wait_for 30 nfs_unloads
}
nfs_unloads()
{
	unload nfsd nfsv4 nfs rpcrdma rpcsec_gss_krb5 auth_rpcgss nfs_acl lockd grace sunrpc
}

# nfs_mount ADDRESS [OPTION,...]: mounts the export of the server at ADDRESS, with further options
# of mount
nfs_mount()
{
	local options=vers=4.2,proto=$CARRIER,port=${NFS_PORT[$CARRIER]}${2:+,$2}
	modprobe rpcrdma && mkdir -p $NFS_MNT && mount -t nfs -o "$options" "$1:/" $NFS_MNT
}
# nfs_over_rdma: succeeds if the mount uses RDMA, and prints the mount
nfs_over_rdma() { grep " $NFS_MNT .*proto=rdma" /proc/mounts; }
nfs_umount() { ! mountpoint -q $NFS_MNT || within 30 umount $NFS_MNT; }
