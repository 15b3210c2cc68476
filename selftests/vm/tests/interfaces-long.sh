# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs interfaces.sh with every kind of interface.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 1500
# group: long
# shellcheck shell=bash

# shellcheck disable=SC2034
KINDS="veth vlan bond team bridge macvlan ipvlan dummy loopback tun wireguard macsec vrf gretap gre"
# shellcheck source=selftests/vm/tests/interfaces.sh
. /lab/in/tests/interfaces.sh
