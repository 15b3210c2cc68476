# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The device, its driver or its network interface is removed under traffic. Users are notified,
# all objects are destroyed in time, and the device can be added again.
# topology: one
# kernels: all
# rnic: soft
# timeout: 240
# shellcheck shell=bash

xt_up
xt_pair

module=$(xt_type)
[ "$module" != rxe ] || module=rdma_rxe

octets() { cat "/sys/class/net/$DEV_A/statistics/tx_bytes"; }

under_traffic "device of a is deleted" within 30 rdma link del "$RD_A"
expect "it comes back" rdma_link "$(xt_type)" "$RD_A" "$DEV_A"

under_traffic "device of b is deleted" within 30 rdma link del "$RD_B"
# Side a writes, and its device still exists, so side a gets an error from its QP. If the QP had no
# pending work when the peer closed the connection, the next post returns EINVAL. Otherwise, a
# failed completion ends the command "run" with EIO.
xt_ends a 'errno=E\(IO\|INVAL\) .* wc='
expect "it comes back" rdma_link "$(xt_type)" "$RD_B" "$DEV_B"

under_traffic "driver is unloaded" within 60 rmmod "$module"
rdma_up "$(xt_type)"

under_traffic "network interface is deleted" within 60 ip link del "$DEV_A"
[ ! -e "/sys/class/infiniband/$RD_A" ] || fail "$RD_A outlived its network interface"
