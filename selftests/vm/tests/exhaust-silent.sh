# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A peer keeps 1,000 TCP connections to a listener open and sends nothing. It replaces each
# connection that the listener closes. Other peers can still connect to this listener within ten
# seconds, and an existing connection is not affected.
# topology: one
# kernels: all
# rnic: soft pci
# group: long
# timeout: 300
# shellcheck shell=bash

xt_up
xt_pair
xt_listen autoclose=1
xt_join
others_go_on 4
# The guest's TCP cannot use the interface of a PCIe RNIC.
from=$IP_A
! rnic_pci || from=$IP_PEER
hoard silent "$IP_B" "$XT_PORT" 1000 "$from"
hoard_all 1000
# The other peers must connect within ten seconds: the setting startup-time limits each connect to
# this time, and others_go_on does not repeat a connect that fails.
others_go_on 4
hoard_over
others_go_on 4
xt_closed a b
xiw_clean
