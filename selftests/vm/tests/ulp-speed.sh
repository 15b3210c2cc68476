# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Measures NFS, SMB and iSCSI over xiw (CRC on), over siw (CRC off) and over TCP. The files and the
# disk are in memory, and fio uses direct I/O. The types take turns in one boot. The type xiw_inline
# is xiw with settings that make NFS and SMB transfer 4 KiB in Sends instead of RDMA Writes and
# Reads. nfsd accepts 1 MiB in a request only if the machine has at least 4 GiB of memory.
# topology: one
# kernels: stable newest
# modules: ulps
# rnic: soft
# timeout: 2400
# memory: 4608
# group: bench
# shellcheck shell=bash

read -r -a TYPES <<<"${XIW_TEST_TYPES:-xiw xiw_inline siw tcp}"
read -r -a ULPS <<<"${XIW_TEST_ULPS:-nfs smb iser}"
MTU=${XIW_TEST_MTU:-9000}
ROUNDS=${XIW_TEST_ROUNDS:-2}
MS=${XIW_TEST_MS:-100}
# shellcheck disable=SC2034 # for bench_fio
BENCH_SIZE=16m

# Each ULP has two functions. NAME_begin starts the server, connects the client, and sets TARGET to
# a file or a disk. NAME_end stops the client and the server. These functions do not use on_b,
# because on_b starts a shell, and CARRIER would have its default value there.

# nfs_inline: lets the client and the server send 4 KiB in the message of a request or a reply
nfs_inline()
{
	local name
	for name in rdma_max_inline_read rdma_max_inline_write svc_rdma/max_req_size; do
		echo 8192 >/proc/sys/sunrpc/$name || return
	done
}
nfs_begin()
{
	TARGET=$NFS_MNT/file
	[ "$type" != xiw_inline ] || expect "inline" nfs_inline
	expect "server" nfs_up
	expect "mount" nfs_mount "$IP_B"
	[ $CARRIER = tcp ] || nfs_over_rdma || fail "not over RDMA"
}
nfs_end()
{
	expect "the client" nfs_umount
	expect "the server" nfs_down
	expect "modules" nfs_unload
}

# smb_inline: lets the client transfer 4 KiB in Sends
smb_inline() { echo 8192 >/proc/fs/cifs/rdma_readwrite_threshold; }
smb_begin()
{
	TARGET=$SMB_MNT/file
	[ "$type" != xiw_inline ] || expect "inline" smb_inline
	expect "server" smb_up
	expect "mount" smb_mount "$IP_B"
	[ $CARRIER = tcp ] || smb_shown '^SMBDirect ' || fail "not over RDMA"
}
smb_end()
{
	expect "the client" smb_client_down
	expect "the server" smb_down
	expect "modules" smb_unload
}

iser_begin()
{
	expect "target" iser_up "$IP_B"
	expect "login" iser_login "$IP_B"
	TARGET=$(scsi_disk) || fail "no disk"
}
iser_end()
{
	expect "logout" iser_logout "$IP_B"
	expect "the initiator" iser_initiator_down
	expect "the target" iser_down
}

# ulp_ios ULP: measures the I/O of ULP on TARGET, and writes a row for each measurement
ulp_ios()
{
	bench_io "$TARGET" "$1 write" write 1048576 4
	bench_io "$TARGET" "$1 read" read 1048576 4
	bench_io "$TARGET" "$1 randread" randread 4096 8
	bench_io "$TARGET" "$1 randread" randread 4096 1
	bench_io "$TARGET" "$1 randwrite" randwrite 4096 8
}

# measurable ULP: fails if this kernel lacks the ULP over the transport of $type. For xiw_inline,
# loads the module that has the setting, and fails if the setting does not exist
measurable()
{
	case $1-$type in
	nfs-xiw_inline) modprobe rpcrdma && [ -e /proc/sys/sunrpc/rdma_max_inline_read ] ;;
	smb-xiw_inline) load cifs && [ -e /proc/fs/cifs/rdma_readwrite_threshold ] ;;
	iser-xiw_inline) return 1 ;;
	iser-tcp) modprobe -n -q iscsi_tcp ;;
	esac
}

link_mtu "$MTU"
for ((round = 1; round <= ROUNDS; round++)); do
	for ulp in "${ULPS[@]}"; do
		for type in "${TYPES[@]}"; do
			measurable "$ulp" || continue
			say "round $round: $ulp over $type"
			device=${type%_inline}
			CARRIER=tcp
			[ "$type" = tcp ] || { CARRIER=rdma && rdma_up "$device" || fail "no $device"; }
			"${ulp}_begin"
			ulp_ios "$ulp"
			"${ulp}_end"
			[ "$type" = tcp ] || { rdma_down && unload "$device"; }
		done
	done
done
bench_report ulp-speed xiw
[[ " ${TYPES[*]} " == *" siw "* ]] || exit 0
bench_faster ulp-speed siw '.octets > 65536' "1 MiB is slower than over siw"
