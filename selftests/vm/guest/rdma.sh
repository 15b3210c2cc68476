# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# RDMA devices on the two sides. TYPE, the type of a device, is xiw, siw, siw_mpa1, siw_crc or rxe.
# shellcheck shell=bash

# rdma_up TYPE [TYPE_B]: loads the drivers, and creates a device of TYPE on side a and a device of
# TYPE_B (by default, TYPE) on side b. The name of a device is its type with a or b appended. Sets
# RD_A and RD_B to the names.
rdma_up()
{
	local type_b=${2-$1}
	RD_A=${1}a RD_B=${type_b}b
	export RD_A RD_B
	on_a rdma_link "$1" "$RD_A" "$DEV_A" || return
	on_b rdma_link "$type_b" "$RD_B" "$DEV_B"
}

# rdma_module TYPE: prints the name of the driver's module
rdma_module() { if [ "$1" = rxe ]; then echo rdma_rxe; else echo "$1"; fi; }

# rdma_link: loads the driver of TYPE, and creates the device NAME on the interface NETDEV. For a
# PCIe RNIC, the driver creates the device, and the function renames it.
rdma_link() # TYPE NAME NETDEV
{
	local type=${1%%_*}
	load "$(rdma_module "$1")" || return
	load rdma_ucm && load ib_uverbs || return
	[ -e /sys/class/infiniband ] || return
	if [[ $type:$3 == xiw:rnic* ]]; then
		rnic_named "$2" "$3"
	else
		rdma link add "$2" type "$type" netdev "$3"
	fi
}

# listening PORT: succeeds if this side has an RDMA listener on the port
listening() { rdma resource show cm_id | grep -E "LISTEN.*:$1( |$)" | grep -q .; }

# rdma_state: prints the RDMA objects of this guest, for the log of a test that hangs
rdma_state()
{
	local what
	for what in qp cq cm_id; do
		within 5 rdma -d resource show "$what" || :
	done
}

# rdma_down: removes every RDMA device of this guest. It gets the names from rdma(8), because sysfs
# shows only the devices of one namespace. Returns 1 if a device stays.
rdma_down()
{
	local name bad=0
	[ -e /sys/class/infiniband ] || return 0
	for name in $(rdma -j dev | jq -r '.[].ifname'); do
		within 20 rdma link del "$name" || bad=1
	done
	return $bad
}
