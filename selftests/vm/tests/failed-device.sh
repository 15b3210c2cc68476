# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# If an RNIC does not answer an admin command in time, the device fails. All work is flushed, users
# are notified (IB_EVENT_DEVICE_FATAL), and the device can be destroyed and created again. Another
# device is not affected.
#
# The module xiw_deaf causes the failure. It replaces the table of operations through which the
# driver rings the doorbells of one device. So the driver needs no hook, the failure affects only
# this device, and the test runs on kernels without fault injection. The module also sets the time
# limit of an answer to 30 s, because the driver sets no limit for the software RNIC.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 150
# shellcheck shell=bash

IP_C=10.10.1.1 IP_D=10.10.1.2 IP6_C=fd00:11::1 IP6_D=fd00:11::2

xt_up
xt_pair
xt_listen
say "a second pair of devices, on a link of their own"
ip link add vc netns a type veth peer name vd netns b
on_a side_up vc $IP_C $IP6_C
on_b side_up vd $IP_D $IP6_D
wait_for 10 on_a ping -c 1 -W 1 $IP_D
expect "a device of a" on_a rdma_link xiw xiwc vc
expect "a device of b" on_b rdma_link xiw xiwd vd
for session in a2 c; do
	xt_open $session a
	xt $session buf name=m size=8M
done
xt_open d b
xt d buf name=m size=8M
xt d listen addr=$IP_D port=$XT_PORT export=m export_len=1088K
xt c connect addr=$IP_D port=$XT_PORT
EP_C=${XT[ep]}

# writer SESSION EP MS: starts Writes of SESSION over the endpoint EP for MS milliseconds
writer() # SESSION EP MS
{
	xt_start "$1" run "ep=$2" op=write buf=m off=4M len=16384 qd=4 "ms=$3" timeout=300000
}
# state_is DEVICE STATE: succeeds if xiw shows STATE for DEVICE of side a
state_is() { [ "$(told a '.devices[0].state' show "$1")" = "\"$2\"" ]; }

xt_join
writer a "$EP_A" 120000
writer c "$EP_C" 35000
# octets: prints the number of octets that side b has received over the slowest connection. It
# replaces octets() of the library, so that moving() waits for both writers
octets() { told b '[.connections[] | select(.role == "responder") | .rx_bytes] | min' conn; }
wait_for 20 moving || fail "nothing moves"

say "the RNIC of $RD_A is deaf"
expect "the fault" insmod /lab/in/modules/xiw_deaf.ko dev="$RD_A"
start=$SECONDS
xt_err EIO a2 create what=qp "dev=$RD_A"
took=$((SECONDS - start))
say "the command was given up after $took s"
[ $took -ge 29 ] || fail "after only $took s"
[ $took -le $((35 * PATIENCE)) ] || fail "after $took s"
xt_ends a '^status=error errno=EIO .*wc=WR_FLUSH_ERR'
state_is "$RD_A" failed || fail "the device: $(told a .devices show "$RD_A")"
wait_for 5 xt_told a2 "$RD_A" DEVICE_FATAL || fail "events: ${XT[events]}"
xt a wait "ep=$EP_A" state=disconnected
xt a query "ep=$EP_A"
xt_is qp_state ERR
xt a recv "ep=$EP_A" len=0
xt_wc WR_FLUSH_ERR a wc "ep=$EP_A" q=recv
xt b wait "ep=$EP_B" state=disconnected

say "no new work, at once"
start=$SECONDS
xt_err EIO a2 create what=qp "dev=$RD_A"
xt_try a2 connect "addr=$IP_B" "port=$XT_PORT" timeout=10000 && fail "connected: ${XT[0]}"
[ $((SECONDS - start)) -le $((10 * PATIENCE)) ] || fail "it took $((SECONDS - start)) s"

say "it goes, and comes back"
xt_try a2 close ep=all || xt_is errno ENOENT
xt a close "ep=$EP_A"
xt b close "ep=$EP_B"
equal "QPs and connections" 0 "$(told a '.devices[0].objects | .qp + .connection' show "$RD_A")"
expect "the device goes" within 20 nsenter --net=/run/netns/a rdma link del "$RD_A"
expect "the fault goes" unload xiw_deaf
expect "the device comes back" on_a rdma_link xiw "$RD_A" "$DEV_A"
xt_join
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
xt_told a2 "$RD_A" DEVICE_FATAL && fail "the new device has failed too"

say "the device beside it"
xt_ends c '^status=ok'
state_is xiwc active || fail "xiwc: $(told a .devices show xiwc)"
xt c query "ep=$EP_C"
xt_is qp_state RTS
xt_is qp_events ''
xt_told c xiwc DEVICE_FATAL && fail "xiwc has failed too"
xt c run "ep=$EP_C" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1

xt_closed a b c d a2
xt_clean a
for session in a b c d a2; do
	xt_close $session
done
expect "the exerciser" unload xiw_test
expect "the driver" unload xiw
