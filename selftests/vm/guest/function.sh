# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for tests of the PCI function of side a (lab run --rnic pci, topology one). These tests
# disturb the PCI function while it carries traffic, and check that the PCI function works
# afterwards.
# shellcheck shell=bash

# function_up: sets up RDMA devices and sessions of the exerciser on both sides. Sets FUNCTION to
# the PCI address of side a's function, and SYSFS to its directory. Side a's function is not always
# the first one in the PCI order, for instance after a removal.
function_up()
{
	xt_up
	xt_pair
	FUNCTION=$(readlink "/sys/class/net/$DEV_A/device")
	FUNCTION=${FUNCTION##*/}
	SYSFS=/sys/bus/pci/devices/$FUNCTION
}

# failed_devices: prints the names of the devices that the driver has failed, in the order of the
# kernel log
failed_devices() { dmesg | grep -o '[^ ]*: device failed: ' | cut -d: -f1; }

# read_until_fault MS TIMEOUT: connects side a to side b, and reads data for MS milliseconds, or
# until an RNIC misbehaves. Waits at most TIMEOUT milliseconds for the Reads. Sets EP_A to the
# endpoint, or to the empty string if there is no connection.
read_until_fault()
{
	EP_A=
	if xt_try b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K &&
		xt_try a connect "addr=$IP_B" "port=$XT_PORT"; then
		EP_A=${XT[ep]}
		xt_try a run "ep=$EP_A" op=read buf=m off=4M len=4096 qd=16 "ms=$1" \
			"timeout=$2" || say "the Reads ended: ${XT[0]}"
	fi
}

# failed_flushes: if the device of side a has failed, checks that no operation of the last run over
# EP_A is outstanding, because the driver flushes all work of a failed device
failed_flushes()
{
	[ "$EP_A" ] && [ "$(told a '.devices[0].state' show "$RD_A")" = '"failed"' ] || return 0
	wait_for 30 run_over || fail "the work of the failed device is not flushed: ${XT[0]}"
}
# run_over: succeeds if no operation of the last run over EP_A is outstanding. Otherwise, the
# exerciser refuses another run.
run_over()
{
	xt_try a run "ep=$EP_A" op=write len=0 count=1 timeout=5000 || [ "${XT[errno]-}" != EBUSY ]
}

# to FILE VALUE: writes VALUE to FILE
to() { printf '%s\n' "$2" >"$1"; }

# sides_again: sets up new RDMA devices, and sets the addresses and routes of their interfaces
sides_again()
{
	rdma_up xiw || return
	side_up "$DEV_A" "$IP_A" "$IP6_A"
	side_up "$DEV_B" "$IP_B" "$IP6_B"
	one_wires
}

# works: checks that the PCI function has an RDMA device again, and that data arrive at the peer
works()
{
	wait_for 20 rnic_carriers || fail "no carrier"
	expect "devices, addresses and routes" sides_again
	xt_listen
	xt_join
	# The memory of a Read must be contiguous, because a Read has one SGE. At this offset, the
	# memory for each Read of the verification is contiguous, even with bounce buffers.
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=4 count=40 verify=1
	xt_part
	xt b close ep=all
}

# functions_reset: resets each PCI function by sysfs
functions_reset()
{
	local function
	for function in $(rnic_functions); do
		expect "reset" to "/sys/bus/pci/devices/$function/reset" 1
	done
}

# good_as_new SESSION...: closes each SESSION, which has no endpoint. Resets the PCI functions, and
# checks that they work.
good_as_new()
{
	local session
	for session; do
		xt_close "$session"
	done
	expect "the exerciser" unload xiw_test
	say "as good as new"
	functions_reset
	xt_up
	xt_pair
	works
	xt_clean a
}
