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
slept() { insmod /lab/in/modules/xiw_sleep.ko "function=$FUNCTION" && rmmod xiw_sleep; }
under_traffic "the function is suspended" slept
works
under_traffic "the driver is unloaded" rmmod xiw
expect "loaded again" rnic_load
works
