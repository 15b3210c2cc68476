# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for tests of storage over kernel ULPs. The tests write files and disks, read them back,
# and compare the data. Meanwhile, some tests cut links, remove devices, restart servers or make
# memory scarce. The client is on side a, and the server on side b.
# shellcheck shell=bash

TREE_SIZES=(0 1 511 512 513 4095 4096 4097 65536 1048577)
TREE=/tmp/tree
KEPT_AT=32	# MiB; fio writes below this offset
DISK_MNT=/run/disk	# a file system on a disk of the client
CARRIER=rdma	# transport of NFS, SMB and iSCSI: rdma or tcp
ULP_ROUNDS=${XIW_TEST_ROUNDS:-100}	# number of successive connects

# tree_make DIR: fills DIR with a file of each size in TREE_SIZES, and 300 small files
tree_make()
{
	local size n
	mkdir -p "$1/small" || return
	for size in "${TREE_SIZES[@]}"; do
		head -c "$size" /dev/urandom >"$1/$size" || return
	done
	for n in {1..300}; do
		printf '%s\n' "$n $RANDOM" >"$1/small/$n" || return
	done
}

# tree_sum DIR: prints a checksum and the name of each file in DIR
tree_sum() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum); }

# tree_copy DIR: makes a tree of files, and copies it to DIR. tree_same DIR: drops this guest's
# cache, and compares the copy in DIR with the tree
tree_copy()
{
	rm -rf "$TREE"
	tree_make "$TREE" && cp -r "$TREE" "$1/tree" && sync -f "$1/tree"
}
tree_same()
{
	echo 3 >/proc/sys/vm/drop_caches
	equal "files of $1" "$(tree_sum "$TREE")" "$(tree_sum "$1/tree")"
}

# tree_moved DIR AGAIN...: copies a tree of files to DIR, and compares the copy. Runs the command
# AGAIN, which mounts DIR again, and compares the copy a second time. Removes the copy.
tree_moved()
{
	expect "a tree of files" tree_copy "$1"
	tree_same "$1"
	expect "mounted again" "${@:2}"
	tree_same "$1"
	expect "the tree goes" rm -r "$1/tree"
}

# fio_mixed TARGET: writes the file or disk TARGET at random places in mixed sizes, in blocks of 4
# KiB and in blocks of 1 MiB, with different numbers of pending operations. Reads all data back and
# compares.
fio_mixed()
{
	fio --filename="$1" --direct=1 --ioengine=libaio --rw=randwrite --size=4m --randrepeat=0 \
		--verify=crc32c --verify_fatal=1 --do_verify=1 --stonewall \
		--output-format=terse --minimal \
		--name=mixed --bsrange=512-256k --iodepth=8 \
		--name=small --bs=4k --iodepth=32 --size=2m \
		--name=single --bs=4k --iodepth=1 --size=1m \
		--name=large --bs=1m --iodepth=4 >/tmp/fio-mixed.out 2>&1 ||
		{ cat /tmp/fio-mixed.out; return 1; }
}

# disk_mount DISK: mounts the file system on DISK
disk_mount() { mkdir -p $DISK_MNT && mount -t ext4 "$1" $DISK_MNT; }
disk_umount() { ! mountpoint -q $DISK_MNT || within 60 umount $DISK_MNT; }

# disk_verified DISK AGAIN...: writes data to DISK and verifies them. Then makes a file system on
# DISK, copies a tree of files to it, and verifies the tree. Runs the command AGAIN, which connects
# and mounts again, and verifies the tree a second time.
disk_verified()
{
	expect "the disk" fio_mixed "$1"
	expect "a file system" busybox mke2fs -b 4096 "$1"
	expect "mounted" disk_mount "$1"
	tree_moved $DISK_MNT "${@:2}"
	expect "unmounted" disk_umount
}

# keep TARGET: writes 4 MiB of random data to a place of TARGET that fio does not overwrite. kept
# TARGET: compares this place with the data
keep()
{
	head -c 4M /dev/urandom >/tmp/kept &&
		dd if=/tmp/kept of="$1" bs=1M seek=$KEPT_AT oflag=direct conv=notrunc status=none
}
kept()
{
	dd if="$1" bs=1M skip=$KEPT_AT count=4 iflag=direct status=none | cmp - /tmp/kept
}

# passes TARGET: repeatedly writes new data to TARGET, reads them back and compares, until
# /tmp/enough exists. Writes the number of passes to /tmp/passes. Returns 1 if a pass fails.
passes()
{
	local n=0
	rm -f /tmp/enough
	echo 0 >/tmp/passes
	while [ ! -e /tmp/enough ]; do
		fio_verify "$1" --size=8m --randrepeat=0 || return
		n=$((n + 1))
		echo $n >/tmp/passes
	done
}

# passed N: succeeds if at least N passes are complete, or if passes() has ended
passed() { [ "$(</tmp/passes)" -ge "$1" ] || passes_over; }

# verifying TARGET: calls keep(), starts passes() in the background, and waits for the first pass.
# verified TARGET: waits for two more passes, ends passes(), and checks that no I/O has failed. Then
# calls kept().
verifying()
{
	rm -f /tmp/passes
	expect "data that stay" keep "$1"
	passes "$1" >/tmp/passes.log 2>&1 &
	PASSES=$!
	wait_for 10 test -s /tmp/passes
	wait_for 60 passed 1 || fail "no pass ends: $(</tmp/passes.log)"
}
verified()
{
	local seen rc=0
	seen=$(</tmp/passes)
	wait_for "${VERIFIED_WITHIN-120}" passed $((seen + 2)) || fail "I/O does not continue"
	: >/tmp/enough
	wait "$PASSES" || rc=$?
	[ $rc -eq 0 ] || { cat /tmp/passes.log; fail "I/O failed: status $rc"; }
	expect "the data that stayed" kept "$1"
	say "$(($(</tmp/passes) - seen)) passes since"
}

# unverified SECONDS: checks that passes() fails within SECONDS. Call it when the ULP has to give up
# and report errors to its users.
unverified()
{
	local rc=0
	wait_for "$1" passes_over || fail "I/O does not fail"
	wait "$PASSES" || rc=$?
	[ $rc -ne 0 ] || fail "I/O did not fail"
}
passes_over() { ! kill -0 "$PASSES"; }

# verified_during TARGET COMMAND...: runs COMMAND, a disturbance that the ULP must survive, and
# verifies the data of TARGET before, during and after it
verified_during()
{
	local target=$1
	shift
	verifying "$target"
	expect "under verification" "$@"
	verified "$target"
}

# link_cut SECONDS: sets the link of side a down for SECONDS, and up again. Returns 1 if more than
# one pass is completed while the link is down.
link_cut()
{
	local end=$((SECONDS + $1)) seen
	link_gone || return
	seen=$(</tmp/passes)
	while [ $SECONDS -lt $end ]; do
		read -r -t 0.5 <><(:) || :
	done
	[ "$(</tmp/passes)" -le $((seen + 1)) ] || { say "data pass without a link"; return 1; }
	link_back
}
# link_gone: sets the link of side a down, and checks that side b is not reachable or, with PCIe
# RNICs, that the interface of side a has no carrier
link_gone()
{
	if rnic_pci; then
		rnic_cable a down && wait_for 20 link_lost
		return
	fi
	# Without these routes, packets would reach the other side over lo.
	[ "$TOPOLOGY" != one ] || {
		ip route replace unreachable "$IP_B" metric 9999 table 101
		ip route replace unreachable "$IP_A" metric 9999 table 102
	}
	ip link set "$DEV_A" down && ! link_reaches &>/dev/null
}
# link_back: sets the link of side a up. Without PCIe RNICs, restores the IPv6 address and the
# routes, which the kernel has deleted.
link_back()
{
	if rnic_pci; then
		rnic_cable a up && wait_for 20 rnic_carriers
		return
	fi
	ip link set "$DEV_A" up && ip -6 addr replace "$IP6_A/64" dev "$DEV_A" nodad || return
	[ "$TOPOLOGY" != one ] || one_wires || return
	wait_for 20 link_reaches
}
# link_lost: succeeds if the interface of side a's RNIC has no carrier
link_lost() { [ "$(<"/sys/class/net/$DEV_A/carrier")" = 0 ]; }
link_reaches() { on_a ping -c 1 -W 1 "$IP_B"; }

# device_again SIDE [COMMAND...]: deletes the RDMA device of SIDE, runs COMMAND, and adds the device
# again
device_again()
{
	local side=$1 dev=DEV_${1^^}
	on_"$side" rdma link del "$(rd_of "$side")" || return
	[ $# -eq 1 ] || "${@:2}" || return
	on_"$side" rdma_link "$(xt_type)" "$(rd_of "$side")" "${!dev}"
}

# scarce: makes memory scarce for three seconds; with two guests, first in guest a, then in guest b
scarce()
{
	memory_scarce
	[ "$TOPOLOGY" != pair ] || on_b memory_scarce
}

# rounds N COMMAND...: runs COMMAND N times; stops and returns 1 when COMMAND fails
rounds()
{
	local n
	for ((n = 1; n <= $1; n++)); do
		"${@:2}" || { say "round $n of $1"; return 1; }
	done
}

# program_end NAME: ends the daemon NAME of this guest. A process that has ended may stay as a
# zombie, because the lab's init does not wait for all children. So program_over() ignores zombies.
program_end()
{
	program_over "$1" || pkill -x "$1"
	wait_for 10 program_over "$1"
}
program_over() { ! pgrep -r R,S,D -x "$1" >/dev/null; }

# ulp_clean [SIDE...]: checks that ULPs have left no object on these sides (by default, on both),
# and removes the devices and the driver. CQs do not count, because ib_core keeps the shared CQs
# until the device is removed.
ulp_clean()
{
	local side
	[ $# -gt 0 ] || set -- a b
	for side in "$@"; do
		if [ "$(xt_type)" = xiw ]; then
			wait_for 20 storage_gone "$side" ||
				fail "objects stay on $side: $(objects_of "$side")"
		fi
		rdma_empty "$side" qp cm_id mr
		expect "the device of $side goes" on_"$side" within 20 rdma link del "$(rd_of "$side")"
	done
	for side in "$@"; do
		expect "the driver of $side" on_"$side" unload "$(rdma_module "$(xt_type)")"
	done
}

# not_loaded MODULE...: succeeds if none of the modules is loaded; otherwise, prints the first one
# that is loaded
not_loaded()
{
	local module
	for module in "$@"; do
		! loaded "$module" || { say "$module stays"; return 1; }
	done
}

# ulps_down: removes the ULPs, other than NVMe, that a failed test has left
ulps_down()
{
	disk_umount
	if loaded sunrpc; then
		nfs_umount || umount -lf $NFS_MNT
		nfs_down
	fi
	iser_initiator_down
	iser_down
	srp_initiator_down
	srp_down
	smb_abandon
	smb_down
	rnbd_client_down
	rnbd_down
}
