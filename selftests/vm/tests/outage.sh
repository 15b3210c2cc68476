# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The network fails under traffic. If the network returns, the traffic continues. If the network
# does not return, or if TCP is reset, both ends are notified within a time limit, all work requests
# are flushed, and no object is left. [D-LLP-003] [D-LLP-010]
# topology: netns pair
# kernels: all
# rnic: soft
# timeout: 150
# shellcheck shell=bash

# OUTAGE: seconds without a link. The test outage-long sets 30.
: "${OUTAGE:=2}"

xt_up
xt_pair
configure linger-time=2s
xt_listen

# cut: sets the interface of side a down; its IPv4 addresses stay. mend: sets it up again
cut() { on_a ip link set "$DEV_A" down; }
mend()
{
	on_a ip link set "$DEV_A" up
	wait_for 20 on_a ping -c 1 -W 1 "$IP_B"
}

# writer: starts Writes that last until xt_halt() ends them, or until the connection is lost
writer()
{
	SEEN=$(octets)
	xt_start a run ep=all op=write buf=m off=4M len=65536 qd=8 "${XT_ENDLESS[@]}"
	wait_for 20 moved 1000000 || fail "nothing moves"
}

say "no link for $OUTAGE s"
xt_join
writer
cut
SEEN=$(octets)
end=$((SECONDS + OUTAGE))
state_is() { [ "$(told a '.devices[0].state' show "$RD_A")" = "\"$1\"" ]; }
wait_for 10 state_is down || fail "the device does not notice"
# The connection must stay during the whole outage.
while [ $SECONDS -lt $end ]; do
	xt b wait "ep=$EP_B" state=ready timeout=0
	nap 0.2
done
mend
wait_for 10 state_is active || fail "the device does not come back"
# TCP doubles the time between retransmissions, so the traffic may resume long after mend().
wait_for $((3 * OUTAGE + 20)) moved 1 || fail "nothing moves after the outage"
xt_halt
xt_ends a '^status=ok'
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
for side in a b; do
	xt $side query
	xt_is qp_state RTS
	xt_is qp_events ''
done

say "the interface gets another name"
writer
cut
on_a ip link set "$DEV_A" name renamed
on_a ip link set renamed up
told_is a '"renamed"' '.devices[0].netdev' show "$RD_A"
on_a rdma link show "$RD_A/1" | grep 'netdev renamed' || fail "rdma: $(on_a rdma link show)"
on_a ip link set renamed down
on_a ip link set renamed name "$DEV_A"
mend
xt_halt
xt_ends a '^status=ok'
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
[ "${OUTAGE_ONLY-}" ] || {

# lost SIDE EP: checks that SIDE is notified of the end of endpoint EP, that the QP of EP is in
# error, and that a new receive is flushed
lost()
{
	xt "$1" wait ep="$2" state=disconnected
	xt "$1" query "ep=$2"
	xt_is qp_state ERR
	xt "$1" recv "ep=$2" len=0
	xt_wc WR_FLUSH_ERR "$1" wc "ep=$2" q=recv
}

say "TCP is reset"
writer
on_a ss -K dst "$IP_B" dport = $XT_PORT >/dev/null || skip "TCP connections that can be destroyed"
xt_ends a '^status=error errno=EIO .*wc=WR_FLUSH_ERR'
lost a "$EP_A"
xt a query "ep=$EP_A"
xt_is qp_events QP_FATAL
lost b "$EP_B"
equal "connections lost" 1 "$(counter a aborts)"
xt_part

say "a peer that is gone for good: TCP gives up after its retries"
on_a sysctl -qw net.ipv4.tcp_retries2=3
configure_a peer-time=0
xt_join
writer
cut
xt_ends a '^status=error errno=EIO .*wc=WR_FLUSH_ERR'
lost a "$EP_A"
xt a close "ep=$EP_A"
equal "connections lost" 2 "$(counter a aborts)"
on_a sysctl -qw net.ipv4.tcp_retries2=15
configure_a peer-time=70s

say "the other end has nothing to send, and disconnects without a link"
xt b recv "ep=$EP_B" len=0 n=3
xt b wait "ep=$EP_B" state=ready timeout=0
start=$SECONDS
xt b disconnect "ep=$EP_B"
xt b wcall "ep=$EP_B" n=3
xt_is WR_FLUSH_ERR 3
lost b "$EP_B"
[ $((SECONDS - start)) -le $((8 * PATIENCE)) ] || fail "it took $((SECONDS - start)) s"
xt b close "ep=$EP_B"
mend

say "an owner that does not wait for TCP"
xt_join
writer
cut
start=$SECONDS
xt b disconnect "ep=$EP_B"
xt b wait "ep=$EP_B" state=disconnected
xt b close "ep=$EP_B"
# The Writes occupy session a, so session a cannot destroy the QP. The removal of the device ends
# the connection instead.
expect "the device of a goes" on_a rdma link del "$RD_A"
xt_ends a '^status=error'
[ $((SECONDS - start)) -le $((15 * PATIENCE)) ] || fail "it took $((SECONDS - start)) s"
expect "and comes back" on_a rdma_link xiw "$RD_A" "$DEV_A"
mend
}
xt_try a close ep=all || xt_is errno ENOENT
xt b close ep=all
xiw_clean
