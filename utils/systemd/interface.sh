# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions of xiw-link and xiw-rnic-port, which source this file.
# shellcheck shell=sh

interfaces=${XIW_INTERFACES:-/sys/class/net}

# interface_name NAME: prints the name of an interface, or nothing if the interface does not exist.
# NAME may be an alternative name of the interface.
interface_name()
{
	if [ -e "$interfaces/$1" ]; then
		echo "$1"
	else
		ip link show dev "$1" 2> /dev/null | sed -n '1s/^[0-9]*: \([^:@]*\).*/\1/p'
	fi
}

# wait_interface NAME: waits up to 30 s until the interface exists. Returns 0 in any case. While the
# machine boots, the driver of the interface may not be loaded yet, or udev may not have renamed the
# interface yet. The network configuration creates bridges, bonds and VLANs later than
# network.target.
wait_interface()
{
	rounds=150
	until [ -n "$(interface_name "$1")" ] || [ "$rounds" -eq 0 ]; do
		sleep 0.2
		rounds=$((rounds - 1))
	done
}
