# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# `make soak` runs this test. Storage and verbs run between two guests for XIW_TEST_SECONDS seconds
# (default 600) while links are cut, packets are lost and reordered, TCP connections are reset,
# memory gets scarce, and devices are deleted and added. The test compares every block and the
# result of every atomic. It prints a table at the end, and fails if it has counted an error, a leak
# or a splat in the kernel log, or if the slabs have grown too much.
#
# Storage and the connection for atomics use the disturbed link. Storage is NVMe-oF, and NFS if the
# kernel supports it. Devices are deleted and added on a VLAN of that link, because storage would
# not survive the removal of its device.
# topology: pair
# kernels: all
# rnic: soft
# memory: 1536
# timeout: 1500
# group: soak
# shellcheck shell=bash

RUN_SECONDS=${XIW_TEST_SECONDS:-600}
VLAN_A=10.73.0.1 VLAN_B=10.73.0.2 VLAN_PORT=7400
SOON=$((10000 * PATIENCE))
DISK_RUNS="fio runs of 8 MiB over NVMe-oF, written and compared"
FILE_RUNS="fio runs of 8 MiB over NFS, written and compared"

# try SESSION COMMAND...: runs COMMAND, which may fail because of a disturbance, but must have an
# answer
try()
{
	xt_try "$@" && return
	[ -n "${XT[0]-}" ] || wrong "$1: ${*:2}: no answer"
	return 1
}

# wrong WHAT: counts an error that no disturbance explains
wrong()
{
	say "error: $*"
	printf '%s %s\n' "$EPOCHSECONDS" "$*" >>/tmp/soak.errors
}

# storage TARGET WHAT: writes and compares TARGET, a disk or a file, repeatedly until the round
# ends. Counts the repetitions under the name WHAT
storage()
{
	local out
	while working; do
		# the I/O may wait for a link that is cut, but must not fail
		if out=$(fio_verify "$1" --size=8m --randrepeat=0); then
			counted "$2"
		else
			wrong "storage: $1: $(tail -n 1 <<<"$out")"
		fi
	done
}

# atomics: runs atomics until the round ends; the exerciser compares the results with a model. Each
# connection has a word of its own, because atomics of a lost connection may still change its word.
atomics()
{
	local n word
	xt_open at a
	xt at buf name=m size=4K
	for ((n = 0; ; n++)); do
		working || break
		try at connect "addr=$IP_B" "port=$XT_PORT" "timeout=$SOON" || { pause 2; continue; }
		word=0
		while working; do
			if try at run op=atomic buf=m qd=4 ms=3000 verify=1 "seed=$RANDOM" \
				"roff=$((n * 8))" "init=$word" "timeout=$SOON"; then
				counted "atomic operations, compared" "${XT[count]}"
				word=${XT[word]}
				continue
			fi
			[ "${XT[errno]-}" != EILSEQ ] && [ "${XT[bad]-0}${XT[misordered]-0}" = 00 ] ||
				wrong "atomics: ${XT[0]}"
			counted "connections lost to a fault"
			break
		done
		try at close ep=all
	done
	xt_close at
}

# connections: makes and ends connections at random, on devices that are deleted and added
connections()
{
	local n
	xt_open co a
	xt co buf name=m size=1M
	while working; do
		n=$((RANDOM % 4 + 1))
		if try co connect "addr=$VLAN_B" "port=$VLAN_PORT" "n=$n" "timeout=$SOON"; then
			[ "${XT[dev]}" = xiwva ] || wrong "a connection of ${XT[dev]}"
			counted "connections made" $n
			try co run ep=all "op=$(any write read send)" len=20000 buf=m qd=4 \
				"ms=$((RANDOM % 1000))" "timeout=$SOON" &&
				counted "verbs operations" "${XT[count]-0}"
			case $(any ERR RESET disconnect none) in
			ERR) try co modify state=ERR ;;
			RESET) try co modify state=RESET ;;
			disconnect) try co disconnect ;;
			esac
		else
			pause
		fi
		try co close ep=all
	done
	xt_close co
}

# fault_NAME: runs one disturbance. It ends before the next disturbance begins.
fault_cut()
{
	ip link set eth0 down
	pause 3
	ip link set eth0 up
	ip link set xvport up
	reached() { ping -c 1 -W 1 "$IP_B"; }
	wait_for 60 reached || wrong "no link after a cut"
}
fault_loss() { netem loss "$(any 1 3 10)%"; }
fault_reorder() { netem delay 10ms reorder 25% 50%; }
fault_duplicate() { netem duplicate 5% corrupt 0.5%; }
# netem OPTION...: disturbs the packets of guest a for a while; OPTIONs are those of tc-netem
netem()
{
	tc qdisc replace dev eth0 root netem "$@" limit 1000
	pause 8
	tc qdisc del dev eth0 root
}
# fault_reset: waits until the NVMe host has reconnected, and resets all TCP connections to side b.
# If the new admin connection were lost before the I/O queues are connected, nvmet would refuse
# their Connect with the bit "do not retry", and the host would remove the disk.
fault_reset()
{
	wait_for 60 disk_live || wrong "the NVMe host does not reconnect"
	ss -K dst "$IP_B" >/dev/null
	pause 3
}
disk_live() { grep -qx live /sys/class/nvme/nvme*/state; }
# fault_memory: takes most of the free memory of one guest for a while, but leaves so much that no
# process is killed
fault_memory() { if [ "$(any a b)" = a ]; then memory_scarce; else on_b memory_scarce; fi; }
fault_device()
{
	if [ "$(any a b)" = a ]; then
		within 60 rdma link del xiwva && rdma link add xiwva type xiw netdev xv ||
			wrong "device of a"
	else
		on_b within 60 rdma link del xiwvb &&
			on_b rdma link add xiwvb type xiw netdev xv || wrong "device of b"
		vlan_listen || wrong "no listener of xiwvb: ${XT[0]-}"
	fi
}
# vlan_listen: makes side b listen on the VLAN. The removal of a device also removes its listeners.
vlan_listen()
{
	try b listen "addr=$VLAN_B" "port=$VLAN_PORT" export=m export_len=512K autoclose=1 \
		backlog=64 sink=16 sink_len=65536 sink_buf=m sink_off=512K &&
		[ "${XT[dev]}" = xiwvb ]
}

# faults: runs disturbances, chosen at random, until the round ends
faults()
{
	local fault
	while working; do
		fault=$(any cut loss reorder duplicate reset memory device device)
		fault_$fault
		counted "fault survived: $fault"
		pause 5
	done
}

# slab, splats, leaked SIDE: print the output of slab_here(), splats_here() or leaked_here() on SIDE
slab() { on_"$1" slab_here; }
splats() { on_"$1" splats_here; }
leaked() { on_"$1" leaked_here; }
# a_round SECONDS CMD...: sets up storage and connections. Uses them for SECONDS, and runs CMD at
# the same time. Then removes them. The first call makes all permanent allocations, so that they do
# not count as growth
a_round()
{
	local disk
	on_b nvmet_up rdma "$IP_B" || fail "target"
	disk=$(nvme_up rdma "$IP_B" 4420 --reconnect-delay=1 --ctrl-loss-tmo=-1 \
		"--keep-alive-tmo=$((5 * PATIENCE))") || fail "connect: $disk"
	[ ! "$NFS" ] || {
		expect "NFS server" on_b nfs_up
		expect "NFS mount" nfs_mount "$IP_B"
		nfs_over_rdma || fail "NFS is not over RDMA"
	}
	xt_open b b
	xt b buf name=m size=2M
	# The words of the atomics need a buffer of their own, because the connections over the VLAN
	# write to the buffer m.
	xt b buf name=words size=1M
	xt b listen "addr=$IP_B" "port=$XT_PORT" export=words export_len=1M autoclose=1 backlog=64
	expect "VLAN of a" vlan_up $VLAN_A xiwva
	expect "VLAN of b" on_b vlan_up $VLAN_B xiwvb
	vlan_listen || fail "no listener on the VLAN: ${XT[0]}"
	workers_for "$1"
	worker storage storage "$disk" "$DISK_RUNS"
	[ ! "$NFS" ] || worker files storage $NFS_MNT/file "$FILE_RUNS"
	worker atomics atomics
	worker connections connections
	shift
	"$@"
	workers_end 240
	expect "every block once more" fio_verify "$disk" --size=16m
	[ ! "$NFS" ] || {
		expect "the file once more" fio_verify $NFS_MNT/file
		expect "NFS client gone" nfs_umount
		expect "NFS server gone" on_b nfs_down
		expect "NFS modules" nfs_unload
	}
	expect "host gone" nvme_down
	expect "target gone" on_b nvmet_down
	xt_close b
	expect "VLAN of a" vlan_down
	expect "VLAN of b" on_b vlan_down
}

# with_faults: runs the disturbances until the end of the round; prints a line each minute
with_faults()
{
	worker faults faults
	while working; do
		nap 60
		say "$((WORKERS_END - EPOCHSECONDS)) s to go; errors: $(wc -l </tmp/soak.errors)"
	done
}

: >/tmp/soak.errors
# Copy the tool, because reads from the folder of the lab may stall.
mkdir -p /run/bin
cp /lab/in/utils/xiw /run/bin/
PATH=/run/bin:$PATH
modprobe 8021q
on_b modprobe 8021q
NFS=1
have_module rpcrdma || { NFS=; say "no NFS: this kernel has no rpcrdma"; }
xt_up

say "a round without faults"
a_round 20 :
before_a=$(slab a) before_b=$(slab b)
say "$RUN_SECONDS s with faults"
a_round "$RUN_SECONDS" with_faults

for side in a b; do
	wait_for 60 storage_gone $side || wrong "objects stay on $side: $(objects_of $side)"
done
sleep_end=$((EPOCHSECONDS + 10))
while [ $EPOCHSECONDS -lt $sleep_end ]; do nap 1; done
after_a=$(slab a) after_b=$(slab b)
grown=$(((after_a - before_a > after_b - before_b ? after_a - before_a : after_b - before_b)))
leaks="$(leaked a) $(leaked b)" splats="$(splats a) $(splats b)"
errors=$(wc -l </tmp/soak.errors)

say
say "== soak: $RUN_SECONDS s on $(uname -r)"
workers_table
printf '%8d  errors\n' "$errors"
printf '%8s  kmemleak, of a and b (- without it)\n' "$leaks"
printf '%8s  KiB of slab that cannot be reclaimed, before and after, of a\n' "$before_a $after_a"
printf '%8s  the same of b\n' "$before_b $after_b"
printf '%8s  bad lines of the kernel log, of a and b\n' "$splats"
[ "$errors" = 0 ] || { cat /tmp/soak.errors; fail "$errors errors"; }
[[ $leaks != *[1-9]* ]] || fail "leaks: $leaks"
# The kernel's own caches vary, so allow growth by 4 MiB, and by 4 MiB more for each hour.
limit=$((4096 + RUN_SECONDS * 4096 / 3600))
[ "$grown" -le $limit ] || fail "slabs have grown by $grown KiB, more than $limit"
equal "bad lines of the kernel log" "0 0" "$splats"
# The deletion of a device also frees the CQs that ib_core's pool keeps for it. Check that these CQs
# do not prevent the deletion.
for side in a b; do
	on_$side within 60 rdma link del "$(rd_of $side)" || fail "the device of $side does not go"
done
[ "$(workers_count "$DISK_RUNS")" -gt 0 ] || fail "no storage"
[ ! "$NFS" ] || [ "$(workers_count "$FILE_RUNS")" -gt 0 ] || fail "no files"
for what in "atomic operations, compared" "connections made" "verbs operations"; do
	[ "$(workers_count "$what")" -gt 0 ] || fail "no $what"
done
