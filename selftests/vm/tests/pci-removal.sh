# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The function, its device or the driver is removed under traffic, each time in a different way.
# Users are notified, all objects are removed in time, and the device works again afterwards.
# topology: one
# kernels: all
# rnic: pci
# timeout: 240
# shellcheck shell=bash

function_up

under_traffic "the device is deleted" rdma link del "$RD_A"
works
under_traffic "the function is reset" to "$SYSFS/reset" 1
works
under_traffic "the function is unbound" to /sys/bus/pci/drivers/xiw/unbind "$FUNCTION"
expect "bound again" to /sys/bus/pci/drivers/xiw/bind "$FUNCTION"
works
under_traffic "the function is removed" to "$SYSFS/remove" 1
expect "found again" to /sys/bus/pci/rescan 1
works
# device_index: prints the index of the RDMA device of the function
device_index() { rdma -j link show | jq -r ".[] | select(.netdev == \"$DEV_A\").ifindex"; }
# replaced INDEX: succeeds if the device of the function has an index other than INDEX
replaced() { [ "$(device_index)" ] && [ "$(device_index)" != "$1" ]; }
# slept: suspends and resumes the function. The driver replaces the device after the sleep
slept()
{
	local before
	before=$(device_index)
	insmod /lab/in/modules/xiw_sleep.ko "function=$FUNCTION" && rmmod xiw_sleep &&
		wait_for 20 replaced "$before"
}
under_traffic "the function is suspended" slept
works
under_traffic "the driver is unloaded" rmmod xiw
expect "loaded again" rnic_load
works
