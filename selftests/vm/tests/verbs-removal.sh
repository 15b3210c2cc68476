# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The device, its driver or its network interface goes away under traffic:
# users hear of it, everything comes down in time, and it can come back.
# topology: one
# kernels: all
# rnic: soft
# timeout: 240
# shellcheck shell=bash

xt_up
xt_open a a
xt_open b b
xt a buf name=m size=8M
xt b buf name=m size=8M

module=$(xt_type)
[ "$module" != rxe ] || module=rdma_rxe

# under_traffic WHAT CMD...: four connections write while CMD runs
under_traffic()
{
	local what=$1
	shift
	say "$what"
	xt_listen
	xt a connect "addr=$IP_B" "port=$XT_PORT" n=4
	xt b wait ep=all state=ready n=4
	xt a run ep=all op=write buf=m off=4M len=65536 qd=8 count=8
	xt_start a run ep=all op=write buf=m off=4M len=65536 qd=8 ms=60000
	wait_for 20 moving
	expect "$what" "$@"
	xt_ends a '^status=error'
	# either the device took its objects along, or the connections ended
	wait_for 30 gone || fail "endpoints stay: ${XT[0]}"
	xt_try a close ep=all || xt_is errno ENOENT
	xt_try b close ep=all || xt_is errno ENOENT
	xt_clean a
	xt_clean b
}

sent() { cat "/sys/class/net/$DEV_A/statistics/tx_bytes"; }
moving()
{
	local now
	now=$(sent)
	[ $((now - ${LAST:-$now})) -gt 100000 ] && return
	LAST=${LAST:-$now}
	return 1
}

# no endpoint of a is connected
gone() { ! xt_try a wait ep=all state=ready timeout=0; }

under_traffic "device of a is deleted" within 30 rdma link del "$RD_A"
LAST=''
expect "it comes back" rdma_link "$(xt_type)" "$RD_A" "$DEV_A"

under_traffic "device of b is deleted" within 30 rdma link del "$RD_B"
# The writer's own device is still there. EINVAL: a QP that had just nothing to send
# when the peer closed refuses posts.
xt_ends a 'errno=E\(IO\|INVAL\) .* wc='
LAST=''
expect "it comes back" rdma_link "$(xt_type)" "$RD_B" "$DEV_B"

under_traffic "driver is unloaded" within 60 rmmod "$module"
LAST=''
rdma_up "$(xt_type)"

under_traffic "network interface is deleted" within 60 ip link del "$DEV_A"
[ ! -e "/sys/class/infiniband/$RD_A" ] || fail "$RD_A outlived its network interface"
