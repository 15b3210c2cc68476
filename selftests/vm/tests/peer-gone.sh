# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A peer disappears without FIN or reset. After peer-time, the connection ends, whether sent data is
# unacknowledged, the window of the peer is closed, or there is nothing to send. An outage that is
# shorter than peer-time ends no connection.
# topology: netns pair
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair
told_is a 70000 '.config[0].settings.peer_time_ms' config show "$RD_A"
configure peer-time=3s park-time=30s linger-time=2s
xt_listen

# mute: makes both sides send frames to a MAC address that no machine has, and sets START to the
# current time. The link stays up, and no machine gets a packet that it could answer, not even with
# a reset. unmute: makes each side use the correct MAC address of the other side again
mute()
{
	START=$(now_ms)
	on_a ip neigh replace "$IP_B" lladdr 02:00:00:73:06:00 nud permanent dev "$DEV_A"
	on_b ip neigh replace "$IP_A" lladdr 02:00:00:73:06:00 nud permanent dev "$DEV_B"
}
unmute()
{
	on_a ip neigh del "$IP_B" dev "$DEV_A"
	on_b ip neigh del "$IP_A" dev "$DEV_B"
	wait_for 10 on_a ping -c 1 -W 1 "$IP_B"
}

# joined: sets HEARD to the current time, and then makes a connection. On this connection, each end
# receives data of the other end
joined()
{
	HEARD=$(now_ms)
	xt_join
}

# gone SIDE EP LOST: checks that SIDE has ended the endpoint EP after at least LEAST ms without data
# from the peer, and not much later. SIDE must report this end like any other loss of a TCP
# connection. LOST: number of connections that SIDE has lost so far
LEAST=2500
gone()
{
	local took
	xt "$1" wait "ep=$2" state=disconnected
	took=$(($(now_ms) - START))
	say "$1 noticed after $took ms"
	[ $((took + START - HEARD)) -ge $LEAST ] || fail "$1: after only $took ms"
	[ $took -le $((3000 + 5000 * PATIENCE)) ] || fail "$1: after $took ms"
	xt "$1" query "ep=$2"
	xt_is qp_state ERR
	xt_is qp_events QP_FATAL
	xt "$1" recv "ep=$2" len=0
	xt_wc WR_FLUSH_ERR "$1" wc "ep=$2" q=recv
	equal "connections lost by $1" "$3" "$(counter "$1" aborts)"
}
# part: closes all endpoints of side a and the endpoint EP_B, and calls unmute()
part()
{
	xt a close ep=all
	xt b close "ep=$EP_B"
	unmute
}

# writer: starts Writes that last until xt_halt() ends them, or until the connection is lost; sets
# HEARD to the current time
writer()
{
	SEEN=$(octets) HEARD=$(now_ms)
	xt_start a run "ep=$EP_A" op=write buf=m off=4M len=16384 qd=4 "${XT_ENDLESS[@]}"
	wait_for 20 moved 200000 || fail "nothing moves"
}

say "Writes are outstanding, the peer is only written to"
joined
writer
mute
xt_ends a '^status=error errno=EIO .*wc=WR_FLUSH_ERR'
gone a "$EP_A" 1
gone b "$EP_B" 1
part

say "nothing is to be sent, by either end"
joined
mute
gone a "$EP_A" 2
gone b "$EP_B" 2
part

say "the window is shut: no receives, and the peer waits for one"
joined
xt a post "ep=$EP_A" op=send buf=m off=4M len=65536 n=60
shut() { on_a ss -tonH dst "$IP_B" dport = $XT_PORT | grep 'timer:(persist'; }
wait_for 10 shut || fail "$(on_a ss -tonH)"
mute
LEAST=0 # no lower limit: the silence began before mute
xt a wcall "ep=$EP_A" n=60 timeout=60000
[ "${XT[WR_FLUSH_ERR]-0}" -gt 0 ] || fail "nothing was flushed: ${XT[0]}"
gone a "$EP_A" 3
gone b "$EP_B" 3
equal "parked streams" 0 "$(parked)"
part

say "3 s of silence where 20 are allowed, and more on a busy host"
configure peer-time=$((20 * PATIENCE))s
joined
IDLE_A=$EP_A IDLE_B=$EP_B
xt a connect "addr=$IP_B" "port=$XT_PORT"
EP_A=${XT[ep]}
xt b wait ep=all state=ready n=2
writer
mute
while [ $(($(now_ms) - START)) -lt 3000 ]; do
	xt b wait ep=all state=ready n=2 timeout=0
	nap 0.2
done
SEEN=$(octets)
unmute
wait_for 20 moved 1 || fail "nothing moves after the silence"
xt_halt
xt_ends a '^status=ok'
for EP in $IDLE_A $EP_A; do
	xt a run "ep=$EP" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
	xt a query "ep=$EP"
	xt_is qp_state RTS
	xt_is qp_events ''
done
equal "connections lost" 3 "$(counter a aborts)"
xt a close ep=all
xt b wait "ep=$IDLE_B" state=disconnected
xt b close ep=all
xiw_clean
