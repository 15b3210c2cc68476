# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for `make soak`; tests of ULPs also use some of them. With two guests, each guest runs
# them for itself.
# shellcheck shell=bash

SOAK_VLAN=73

# vlan_up ADDRESS NAME: adds the xiw device NAME over a bridge with the IPv4 address ADDRESS. The
# bridge has one port, the interface of a VLAN on eth0. If the VLAN's interface had the address
# itself, rdma_cm might use the xiw device over eth0.
vlan_up()
{
	ip link add xv type bridge && ip addr add "$1/24" dev xv && ip link set xv up &&
		ip link add link eth0 name xvport type vlan id $SOAK_VLAN &&
		ip link set xvport master xv up && rdma link add "$2" type xiw netdev xv
}
vlan_down() { ip link del xvport && ip link del xv; }

# memory_scarce: takes most of the free memory for three seconds, but not so much that the kernel
# kills a process
memory_scarce()
{
	local left
	left=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
	dd if=/dev/zero of=/dev/shm/much bs=1M count=$((left * 7 / 10)) 2>/dev/null || :
	nap 3
	rm -f /dev/shm/much
	echo 3 >/proc/sys/vm/drop_caches
}

# slab_here: reclaims slab memory, and prints the KiB of slab memory that cannot be reclaimed.
# Shrinking a cache also frees its objects in KASAN's quarantine.
slab_here()
{
	local cache
	echo 3 >/proc/sys/vm/drop_caches
	for cache in /sys/kernel/slab/*/shrink; do
		[ ! -e "$cache" ] || echo 1 >"$cache" 2>/dev/null || :
	done
	[ ! -e /sys/kernel/debug/kmemleak ] || echo scan >/sys/kernel/debug/kmemleak
	awk '$1 == "SUnreclaim:" { print $2 }' /proc/meminfo
}

# splats_here: prints the number of lines that splats() finds in the kernel log since the test began
splats_here() { log_since "test soak pair" | splats | grep -c . || :; }

# leaked_here: prints the number of objects that kmemleak reports for this tree's modules, or "-" if
# there is no kmemleak
leaked_here()
{
	[ -e "$KMEMLEAK" ] || { echo -; return; }
	echo scan >"$KMEMLEAK"
	leaks_ours <"$KMEMLEAK" | grep -c '^unreferenced' || :
}
