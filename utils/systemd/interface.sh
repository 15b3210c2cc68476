# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions of xiw-link and xiw-rnic-port, which source this file.
# shellcheck shell=sh

interfaces=${XIW_INTERFACES:-/sys/class/net}

# wait_interface NAME: waits up to 30 s until the interface exists. Returns 0 in any case. While the
# machine boots, the driver of the interface may not be loaded yet. The network configuration
# creates bridges, bonds and VLANs later than network.target.
wait_interface()
{
	rounds=150
	until [ -e "$interfaces/$1" ] || [ "$rounds" -eq 0 ]; do
		sleep 0.2
		rounds=$((rounds - 1))
	done
}
