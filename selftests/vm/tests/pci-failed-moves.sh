# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The interface of a failed device moves to another network namespace. The failed device is removed,
# and the function gets a new device in that namespace.
#
#   lab run --rnic pci --rnic-arg --fault=stop@300 --group fault pci-failed-moves
#
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 240
# shellcheck shell=bash

# failed: prints the names of the devices that have failed; succeeds if there are any
failed() { failed_devices | grep .; }
# renewed: succeeds if the namespace "away" has one device, and this device has not failed
renewed()
{
	on_netns away xiw --json show | jq -e '[.devices[].state] | length == 1 and .[0] != "failed"'
}

function_up
say "traffic until an RNIC is stuck"
read_until_fault 60000 90000
wait_for 45 failed || fail "no device has failed"
DEVICE=$(failed | head -n 1)
NETDEV=$DEV_A
[ "$DEVICE" = "$RD_A" ] || NETDEV=$DEV_B
say "failed: $DEVICE over $NETDEV"
failed_flushes
xt_closed a b
xt_clean a
xt_close a
xt_close b
expect "the exerciser" unload xiw_test

say "its interface moves"
ip netns add away
expect "the move" ip link set "$NETDEV" netns away
wait_for 20 renewed || fail "no device that works: $(on_netns away xiw --json show)"
