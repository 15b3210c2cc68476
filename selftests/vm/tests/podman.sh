# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Containers of podman use RDMA devices. Each RDMA device belongs to one network namespace. A
# container runs in the namespace of one device, and gets the character devices. Two containers
# exchange data. A container does not see devices of another namespace, and cannot open a device
# without the character devices.
# topology: one
# kernels: stable newest
# rnic: soft
# disk: programs
# not-uml: control groups of containers need BPF, which arch/um does not have
# timeout: 400
# shellcheck shell=bash

user_provider
load xiw && load rdma_ucm && load ib_uverbs
wait_for 20 namespaces exclusive || fail "namespaces stay"
spread
expect "links" rdma_links
expect "devices of their namespaces" links_own
mountpoint -q /sys/fs/cgroup || expect "control groups" mount -t cgroup2 cgroup2 /sys/fs/cgroup
# The guest's own file system serves as the image of the containers.
IMAGE=/tmp/image
mkdir -p $IMAGE
expect "an image" mount --bind / $IMAGE

# container SIDE [--bare] CMD...: runs CMD in a container, in the network namespace of SIDE. With
# --bare, the container gets no character devices
container()
{
	local side=$1 devices=() node
	shift
	if [ "$1" = --bare ]; then
		shift
	else
		for node in /dev/infiniband/rdma_cm /dev/infiniband/uverbs*; do
			devices+=(--device "$node")
		done
	fi
	within 120 podman --storage-driver vfs run --rm --network "ns:/run/netns/n$side" "${devices[@]}" \
		--ulimit memlock=-1:-1 --log-driver none --rootfs $IMAGE "$@"
}

for side in a b; do
	equal "devices in a container of $side" "xiw$side" \
		"$(container $side ibv_devices | awk 'NR > 2 { print $1 }')"
done
! container a --bare ibv_devinfo -d xiwa || fail "a container without character devices"

port=$((USER_PORT++))
container b rping -s -V -C 100 -a "$IP_B" -p $port >/tmp/rping-b.log 2>&1 &
server=$!
wait_for 60 in_ns b listening $port || fail "no server: $(cat /tmp/rping-b.log)"
expect "data between two containers" container a rping -c -V -C 100 -a "$IP_B" -p $port
wait $server || fail "the server: status $?: $(cat /tmp/rping-b.log)"

expect "no image" umount $IMAGE
for side in a b; do
	expect "xiw$side is not in use" in_ns $side rdma link del xiw$side
done
for side in a b; do
	ip netns del n$side
done
wait_for 20 namespaces shared || fail "namespaces stay"
