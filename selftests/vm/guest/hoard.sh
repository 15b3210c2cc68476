# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for tests in which a process, the hoarder, takes as much of a resource as it can get.
# The hoarder is xiw-hoard of selftests/uverbs. It has no privileges, and has a cgroup of its own.
# The sessions a and b of the exerciser use the RDMA devices at the same time.
# shellcheck shell=bash

HOARD_GROUP=/sys/fs/cgroup/hoard HOARD_LOG=/tmp/hoard.log
HOARD='' HOARD_FREE=0

# hoard_group: makes the hoarder's cgroup, which counts the hoarder's memory. Also permits every
# user to open the RDMA devices.
hoard_group()
{
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir -p $HOARD_GROUP
	chmod a+rw /dev/infiniband/*
}

# hoard_up: sets up RDMA devices, the cgroup, and a connection between the sides. The hoarder must
# not disturb this connection.
hoard_up()
{
	xt_up
	xt_pair
	hoard_group
	xt_listen autoclose=1
	xt_join
	others_go_on 4
}

# hoard_down: ends the hoarder. Checks that the connection between the sides still works, ends it,
# and checks that nothing is left.
hoard_down()
{
	hoard_over
	others_go_on 4
	xt_closed a b
	xiw_clean
}

# hoard_told: succeeds if the hoarder has printed what it holds or why it failed, or has ended
hoard_told() { grep -sq '^holding\|^fail' $HOARD_LOG || ! kill -0 "$HOARD" 2>/dev/null; }

# free_kib: prints the available memory of the guest in KiB
free_kib() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }

# in_hoard CMD...: replaces this process with CMD, in the hoarder's cgroup and without privileges
in_hoard()
{
	# shellcheck disable=SC2016
	exec bash -c 'echo $$ >"$0/cgroup.procs"; ulimit -Hn 4096; exec setpriv --reuid=nobody \
		--clear-groups --inh-caps=-all --bounding-set=-all "$@"' $HOARD_GROUP "$@"
}

# hoard WHAT ARG...: starts the hoarder, which takes the resource WHAT and holds it until
# hoard_over() is called. WHAT and ARG are the arguments of xiw-hoard.
hoard()
{
	[ -d $HOARD_GROUP ] || hoard_group
	HOARD_FREE=$(free_kib)
	rm -f $HOARD_LOG	# hoard_told() must not read the log of an earlier hoarder
	in_hoard xiw-hoard "$@" >$HOARD_LOG 2>&1 &
	HOARD=$!
	wait_for 240 hoard_told || fail "the hoarder says nothing"
	say "$1: $(<$HOARD_LOG)"
	grep -q '^holding [1-9]' $HOARD_LOG || fail "the hoarder has nothing"
}

# hoard_share N: checks that the hoarder holds exactly N objects (its share), and that the driver
# has refused the next object with EAGAIN
hoard_share()
{
	grep -q "^holding $1 of .*: Resource temporarily unavailable$" $HOARD_LOG ||
		fail "the hoarder has more or less than its share of $1, or was refused otherwise"
}

# hoard_all N: checks that the hoarder holds N objects, all that it wanted
hoard_all()
{
	grep -q "^holding $1 of $1: all$" $HOARD_LOG || fail "the hoarder does not hold all $1"
}

# hoard_charged MIB: waits until kernel objects of at least MIB MiB are charged to the hoarder. The
# driver allocates some of them in workers.
hoard_charged()
{
	wait_for 30 hoard_charges "$1" || fail "less than $1 MiB are charged: $(hoard_slab) octets"
}
hoard_charges() { [ "$(hoard_slab)" -ge $(($1 * 1048576)) ]; }
# hoard_slab: prints the size in octets of the kernel objects that are charged to the hoarder,
# without objects that the kernel can reclaim
hoard_slab() { awk '$1 == "slab_unreclaimable" { print $2 }' $HOARD_GROUP/memory.stat; }

# hoard_spent: prints two numbers of MiB: the memory that the guest has used since the start of the
# hoarder, and the memory that is charged to the hoarder
hoard_spent()
{
	say "spent: $(((HOARD_FREE - $(free_kib)) / 1024)) MiB," \
		"charged: $(($(<$HOARD_GROUP/memory.current) / 1048576)) MiB"
}

# hoard_over: kills the hoarder, and waits until its cgroup is empty and can be removed
hoard_over()
{
	kill -9 "$HOARD"
	wait "$HOARD" 2>/dev/null || :
	wait_for 30 rmdir "$HOARD_GROUP" || fail "the hoarder's cgroup stays"
	say "afterwards: $(((HOARD_FREE - $(free_kib)) / 1024)) MiB less than before"
}

# others_go_on N: moves data in large messages over the connection EP_A, and makes N new connections
# to the listener of EP_A. Each connect must succeed in time. Then ends the new connections.
others_go_on()
{
	local i eps=()
	xt a run "ep=$EP_A" op=write buf=m off=4M len=1M qd=4 count=4 timeout=$((20000 * PATIENCE))
	for ((i = 0; i < $1; i++)); do
		xt a connect "addr=$IP_B" "port=$XT_PORT" timeout=$((10000 * PATIENCE))
		eps+=("${XT[ep]}")
		xt_wc SUCCESS a wr "ep=${eps[i]}" op=write buf=m len=64K
	done
	for i in "${eps[@]}"; do xt a close "ep=$i"; done
}
