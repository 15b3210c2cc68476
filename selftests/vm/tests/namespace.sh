# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A device works in the network namespace of its interface. A deleted namespace exists until its
# last connection ends; then its device is removed. A listener on all addresses does not use the
# devices of other namespaces. In exclusive mode, a device can be moved to another namespace.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

# spaces_gone: deletes the namespaces na and nb, and waits until their devices are gone
spaces_gone()
{
	local side
	for side in a b; do
		ip netns del n$side
		wait_for 20 device_gone xiw$side || fail "xiw$side stays behind its namespace"
	done
}
device_gone() { ! rdma dev show "$1" >/dev/null 2>&1; }

# xt_in NS NAME COMMAND...: runs COMMAND in the session NAME, and checks that it succeeds. A process
# in the network namespace na or nb (NS is a or b) writes COMMAND, because the exerciser uses the
# namespace of this process
xt_in()
{
	local line fd=${XT_FD[$2]}
	# shellcheck disable=SC2016
	nsenter "--net=/run/netns/n$1" bash -c 'printf "%s\n" "$1" >&"$2"' - "${*:3}" "$fd"
	IFS= read -r -u "$fd" line
	[[ $line == status=ok* ]] || fail "$2: ${*:3}: $line"
}

load xiw && load rdma_ucm && load ib_uverbs && load xiw_test
xt_open a a
xt_open b b
for side in a b; do xt $side buf name=m size=8M; done
# joined: makes side b listen in nb, connects side a in na, and compares data
joined()
{
	xt_in b b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1M
	xt_in a a connect "addr=$IP_B" "port=$XT_PORT"
	xt b wait ep=all state=ready
	xt a run op=write buf=m off=4M len=20011 qd=8 count=16 verify=1
}

say "a deleted namespace, with a connection and a listener in it"
spread
expect "links" rdma_links
joined
ip netns del nb
xt a run op=write buf=m off=4M len=20011 qd=8 count=16 verify=1
! device_gone xiwb || fail "the device went under its connection"
xt b close ep=all
# The namespace nb ends with its last connection. This deletes the end of the veth in nb, and
# thereby the other end.
for side in a b; do
	wait_for 20 device_gone xiw$side || fail "xiw$side stays behind its namespace"
done
ip netns del na
xt_clean a
xt_clean b

say "listeners on all addresses, in three namespaces"
ip link add va type veth peer name vb
spread
expect "links" rdma_links
xt_open any a
for side in a b; do xt_in $side $side listen addr=0.0.0.0 "port=$XT_PORT" hello=0; done
xt any listen addr=0.0.0.0 "port=$XT_PORT" hello=0
xt any listen addr=127.0.0.1 "port=$((XT_PORT + 1))" hello=0
# A listener of na or nb has two sockets: one is bound to the interface of the namespace, and one to
# the address of this interface.
for side in a b; do
	equal "sockets of n$side" 2 "$(in_ns $side ss -Htnl4 | wc -l)"
done
xt_in a a connect "addr=$IP_B" "port=$XT_PORT" hello=0
xt a close ep=all
xt b close ep=all

say "deleted namespaces, while a listener of another namespace exists"
spaces_gone
xt any close ep=all
xt_close any

say "exclusive mode: a device is handed to the namespace of its interface"
ip link add va type veth peer name vb
wait_for 20 namespaces exclusive || fail "namespaces stay"
spread
expect "links" rdma_links
expect "devices of their namespaces" links_own
! sees a xiwb || fail "na sees xiwb"
joined

say "and to another one under traffic"
xt_start a run op=write buf=m off=4M len=65536 qd=8 "${XT_ENDLESS[@]}"
moved() { [ "$(ip -n nb -s -j link show vb | jq '.[0].stats64.rx.bytes')" -gt 3000000 ]; }
wait_for 20 moved || fail "nothing moves"
ip netns attach first 1
expect "xiwa into the first namespace" in_ns a rdma dev set xiwa netns first
ip netns del first
xt_ends a '^status=error'
xt b wait ep=all state=disconnected
xt_try a close ep=all || xt_is errno ENOENT
xt b close ep=all
rdma dev show xiwa >/dev/null || fail "the first namespace does not see xiwa"
expect "xiwa back" rdma dev set xiwa netns na
joined
xt a close ep=all
xt b close ep=all

say "deleted namespaces of exclusive mode"
spaces_gone
xt_try a close ep=all || xt_is errno ENOENT
xt_try b close ep=all || xt_is errno ENOENT
xt_clean a
xt_clean b
wait_for 20 namespaces shared || fail "namespaces stay"
