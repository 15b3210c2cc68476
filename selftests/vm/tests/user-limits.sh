# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The resources of a process are limited. When a process is killed, all its resources are released.
# topology: one
# kernels: all
# timeout: 240
# shellcheck shell=bash

user_up

say "killed in each state"
for state in connected traffic starved failed asleep; do
	hold $state
	hold_kill
	user_clean
	say "$state: nothing is left"
done

say "RLIMIT_MEMLOCK"
chmod a+rw /dev/infiniband/*
rc=0
on_a setpriv --reuid=nobody --clear-groups --inh-caps=-all --bounding-set=-all \
	bash -c "ulimit -l 64; xiw-verbs $IP_A $IP_B send" >/tmp/memlock.log 2>&1 || rc=$?
cat /tmp/memlock.log
equal "status with 64 KiB" 1 "$rc"
grep -q 'reg_mr: Cannot allocate memory' /tmp/memlock.log || fail "another reason"
expect "the same with enough" on_a setpriv --reuid=nobody --clear-groups --inh-caps=-all \
	--bounding-set=-all bash -c "ulimit -l 4096; xiw-verbs $IP_A $IP_B send"
user_clean

say "the rdma cgroup"
group=/sys/fs/cgroup/xiw
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup /sys/fs/cgroup
echo +rdma >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p $group
# within_group LIMIT: limits the cgroup to LIMIT objects of the device, and runs a program in the
# cgroup
within_group() # LIMIT
{
	echo "$RD_A hca_object=$1" >$group/rdma.max
	bash -c "echo \$\$ >$group/cgroup.procs; exec xiw-verbs $IP_A $IP_B send"
}
rc=0
within_group 2 >/tmp/cgroup.log 2>&1 || rc=$?
cat /tmp/cgroup.log
equal "status with two objects" 1 "$rc"
expect "the same with enough" within_group 100
empty() { ! grep -q "$RD_A.*hca_object=[1-9]" $group/rdma.current; }
wait_for 10 empty || fail "$(cat $group/rdma.current)"
# Remove the limit first. Otherwise, rdmacg_css_offline() misses an unused limit and leaves a
# pointer to freed memory.
echo "$RD_A hca_object=max" >$group/rdma.max
rmdir $group
user_clean

say "sixteen processes at once"
pids=()
for n in {1..16}; do
	xiw-verbs "$IP_A" "$IP_B" send write atomics >"/tmp/many-$n.log" 2>&1 &
	pids+=($!)
done
for n in {1..16}; do
	wait "${pids[n - 1]}" || fail "process $n: $(cat "/tmp/many-$n.log")"
done
user_clean
