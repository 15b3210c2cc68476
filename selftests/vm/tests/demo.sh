# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Shows the main use of xiw between two kernels. Storage runs over NVMe-oF, and over NFS if the
# kernel supports it, and fio compares every block. Then atomics and Write with Immediate run on the
# same link. Then the tools show devices and connections.
# topology: pair
# kernels: all
# timeout: 400
# shellcheck shell=bash

# title TEXT...: prints a heading
title() { printf '\n== %s\n' "$*"; }

title "xiw on both hosts"
rdma_up xiw || fail "no xiw device"
rdma link show

title "NVMe over Fabrics: target on b, host on a"
on_b nvmet_up rdma "$IP_B" || fail "target"
disk=$(nvme_up rdma "$IP_B") || fail "connect: $disk"
nvme list
fio_verify "$disk" || fail "data differ"
say "fio: every block read back as written"

NFS=1
have_module rpcrdma || NFS=
if [ "$NFS" ]; then
	title "NFS over RDMA: server on b, mount on a"
	on_b nfs_up || fail "NFS server"
	nfs_mount "$IP_B" || fail "mount"
	nfs_over_rdma || fail "not over RDMA"
	fio_verify $NFS_MNT/file || fail "data differ"
	say "fio: the file read back as written"
fi

title "RFC 7306 between two kernels: atomics and immediate data"
on_a load xiw_test || fail "xiw_test"
on_b load xiw_test || fail "xiw_test on b"
xt_pair
xt_listen
xt_join

# atomic ORIGINAL AFTER KEY=VALUE...: runs an atomic on the word at the start of the buffer of side
# b. Checks that the atomic returns ORIGINAL and leaves AFTER in the word, and prints both
atomic()
{
	xt_wc SUCCESS a wr "${@:3}"
	xt_is result "$1"
	xt b peek buf=m
	xt_is val "$2"
	printf '%-60s %s -> %s\n' "${*:3}" "$1" "$2"
}
xt b poke buf=m val=0x00000000000000f0
atomic 0x00000000000000f0 0x00000000000000ff op=fetchadd add=15
atomic 0x00000000000000ff 0x0123456789abcdef op=cmpswp cmp=0xff swap=0x0123456789abcdef
xt b poke buf=m val=0x00000000ffffffff
atomic 0x00000000ffffffff 0x0000000100000000 \
	op=mfetchadd add=0x0000000100000001 mask=0x0000000080000000
xt b poke buf=m val=0x1111222233334444
atomic 0x1111222233334444 0xaaaa22223333dddd op=mcmpswp cmp=0x00002222ffffffff \
	cmask=0x0000ffff00000000 swap=0xaaaabbbbccccdddd smask=0xffff00000000ffff

xt a fill buf=m len=4096 seed=7306
xt b recv "ep=$EP_B" len=0
xt_wc SUCCESS a wr "ep=$EP_A" op=write_imm buf=m len=4096 imm=0x7306beef
xt_wc SUCCESS b wc "ep=$EP_B"
xt_is imm 0x7306beef
xt b check buf=m len=4096 seed=7306
say "write with immediate: 4096 octets arrived, immediate ${XT[imm]-0x7306beef}"

title "What the tools show, connections open"
xiw || fail "xiw"
rdma resource show cm_id
rdma statistic show link "$RD_A"
title "... and on the target's side"
on_b xiw || fail "xiw on b"

title "All of it goes away again"
xt_part
xt_close a
xt_close b
if [ "$NFS" ]; then
	nfs_umount || fail "unmount"
	on_b nfs_down || fail "NFS server"
	nfs_unload || fail "NFS modules"
fi
nvme_down || fail "host"
on_b nvmet_down || fail "target"
say "closed"
