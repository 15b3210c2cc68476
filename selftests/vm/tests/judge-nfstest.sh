# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs nfstest_rdma, as Debian ships it. It uses NFS over RDMA, captures the packets, and checks
# RPC-over-RDMA with its own decoder for iWARP and RoCE.
# topology: one
# kernels: newest
# group: judges
# disk: programs
# timeout: 1500
# shellcheck shell=bash

judge_up nfstest
cp -a /lab/in/nfstest/. / || fail "no nfstest"
# Switch offloads off, because the decoder expects packets as they are on the wire.
for dev in "$DEV_A" "$DEV_B"; do
	expect "no offloads of $dev" ethtool -K "$dev" tso off gso off gro off tx off
done
# nfstest_rdma reads the address of this side from the default route.
ip route add default dev "$DEV_A" src "$IP_A" || fail "no default route"
expect "server" nfs_up
echo "tcp 2049" >"$NFSD/portlist" || fail "no server for TCP"
mkdir -p /tmp/nfstest

# nfstest NAME: runs the test NAME of nfstest_rdma and records its verdict. nfstest_rdma kills the
# shell that runs tcpdump, and then reads the capture at once. So tcpdump replaces the shell (exec)
# and does not buffer packets (-U). nfstest_rdma builds a pattern of 1 MiB by appending 32 bytes at
# a time. Without the MALLOC variables, each intermediate string would get a mapping of its own, and
# these mappings would take minutes in User-Mode Linux.
nfstest()
{
	local rc=0
	MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=134217728 \
		within 60 nfstest_rdma --server "$IP_B" --export / --nfsversion 4.2 --mtpoint "$NFS_MNT" \
		--interface "$DEV_A" --client-ipaddr "$IP_A" --tcpdump 'exec tcpdump -U' --tbsize 8k \
		--tmpdir /tmp/nfstest --rmtraces --notty --tverbose 2 --runtest "$1" \
		>/tmp/judge.log 2>&1 || rc=$?
	cat /tmp/judge.log
	case $rc in
	0) judged "$1" ok ;;
	124 | 137) judged "$1" fail "no end" ;;
	*) judged "$1" fail "$(grep -m 1 'FAIL:' /tmp/judge.log || judge_line /tmp/judge.log)" ;;
	esac
	nfs_umount
}
for test in basic01 basic02 basic03 basic04 basic05 read01 read02 read03 read04 \
	write01 write02 write03 write04; do
	nfstest $test
done
expect "the server" nfs_down
judge_end 13
