# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Connection setups fail, because the peer sends nothing, garbage or a part of a frame, or because
# the device or the driver is removed during the setup. Each wait is bounded, iw_cm gets the events
# that it waits for, the listener accepts the next connection, and no object is left.
# topology: one
# kernels: all
# rnic: soft
# timeout: 150
# shellcheck shell=bash

xt_up
xt_pair
configure startup-time=1500ms rtr-time=1500ms linger-time=1500ms

mpa_timeouts() { counter "$1" mpa_timeouts; }
mpa_errors() { counter "$1" mpa_errors; }
# within_ms FROM TO: checks that at least FROM milliseconds, and at most TO times PATIENCE
# milliseconds, have passed since START
within_ms()
{
	local took=$(($(now_ms) - START))
	[ "$took" -ge "$1" ] || fail "after $took ms already"
	[ "$took" -le $(($2 * PATIENCE)) ] || fail "after $took ms only"
}
# start: sets START to the current time
start() { START=$(now_ms); }

# MUTE_PORT: port of a peer without an RNIC. This peer is a program that sends arbitrary octets over
# TCP.
MUTE_PORT=7400
mute_listen() # CMD...: runs CMD for each connection; CMD reads and writes the connection
{
	socat "TCP-LISTEN:$MUTE_PORT,bind=$IP_B,reuseaddr,fork" "EXEC:$*" &
	MUTE=$!
	wait_for 10 mute_listening || fail "socat does not listen"
}
mute_listening() { ss -Htnl sport = $MUTE_PORT | grep -q .; }
mute_stop()
{
	kill $MUTE
	wait $MUTE || :
}
# say_to PORT OCTETS: connects to PORT of side b over TCP, sends OCTETS (text for printf %b), and
# leaves the connection open. Sets PEER to its descriptor
say_to()
{
	exec {PEER}<>"/dev/tcp/$IP_B/$1"
	[ -z "$2" ] || printf '%b' "$2" >&$PEER
}
hang_up() { exec {PEER}>&-; }
# closed_by_peer: succeeds if side b closes or resets the connection of PEER in time
closed_by_peer()
{
	local rc=0
	within 10 cat <&$PEER >/dev/null 2>&1 || rc=$?
	[ $rc -lt 124 ]
}

REQUEST='MPA ID Req Frame'
# This variable must not have the name REPLY, because `read` without a variable name sets REPLY.
ANSWER='MPA ID Rep Frame'

say "initiator: the peer accepts TCP and sends nothing"
mute_listen sleep 60
start
xt_err ETIMEDOUT a connect "addr=$IP_B" "port=$MUTE_PORT" hello=0
within_ms 1400 6000
equal "timeouts of a" 1 "$(mpa_timeouts a)"

say "initiator: its owner gives up, or the device goes meanwhile"
configure_a startup-time=30s
xt a connect "addr=$IP_B" "port=$MUTE_PORT" hello=0 wait=0 n=2
start
xt a modify "ep=${XT[ep]}" state=ERR
xt a modify state=ERR
xt a wait ep=all state=failed n=2
within_ms 0 3000
xt a close ep=all
# `rdma link del` waits until all connection IDs of the device are destroyed. iw_destroy_cm_id()
# waits for the outcome of a pending connect, which fails after startup-time.
configure_a startup-time=3s
xt a connect "addr=$IP_B" "port=$MUTE_PORT" hello=0 wait=0 n=4
start
expect "$RD_A goes" rdma link del "$RD_A"
within_ms 0 5000
xt_try a close ep=all || xt_is errno ENOENT
expect "it comes back" rdma_link xiw "$RD_A" "$DEV_A"
configure_a startup-time=1500ms linger-time=1500ms
mute_stop

say "initiator: nonsense, half a frame, a FIN"
# Each connect must fail immediately, and not after startup-time.
configure_a startup-time=30s
for answer in 'HTTP/1.0 400 what\r\n\r\n....' "$ANSWER" "$ANSWER\\x40\\x02\\x00\\x04" \
	"$ANSWER\\x40\\x09\\x00\\x00" "$REQUEST\\x40\\x02\\x00\\x00"; do
	printf '%b' "$answer" >/tmp/answer
	mute_listen cat /tmp/answer
	xt_try a connect "addr=$IP_B" "port=$MUTE_PORT" hello=0 && fail "connected to '$answer'"
	[[ ${XT[errno]} == @(EPROTO|ECONNRESET|ECONNREFUSED|ECONNABORTED) ]] ||
		fail "'$answer': ${XT[0]}"
	say "'$answer': ${XT[errno]}"
	mute_stop
done
xt a stat
xt_is eps 0
configure_a startup-time=1500ms

say "initiator: nobody answers TCP, and the device goes"
ip neigh replace 10.10.0.99 lladdr 02:00:00:00:00:99 dev "$DEV_A"
ip route add 10.10.0.99 dev "$DEV_A" src "$IP_A" table 101
ip rule add pref 10 iif lo to 10.10.0.99 lookup 101
start
xt_err ETIMEDOUT a connect addr=10.10.0.99 "port=$XT_PORT" hello=0
within_ms 1400 6000
configure_a startup-time=3s
xt a connect addr=10.10.0.99 "port=$XT_PORT" hello=0 wait=0 n=4
start
expect "$RD_A goes" rdma link del "$RD_A"
within_ms 0 5000
xt_try a close ep=all || xt_is errno ENOENT
expect "it comes back" rdma_link xiw "$RD_A" "$DEV_A"

# Seven peers make one mistake each, and the counters report all seven mistakes. Two peers cause a
# timeout: one sends nothing, and one sends half a key. Five peers cause an error: two wrong keys, a
# wrong revision, a length above 512, and a length that does not match the data. [M-CONN-004]
# [M-CONN-015] [M-CONN-018] [M-CONN-030]
say "responder: a peer that sends nothing, half a Request, wrong or too much data"
xt_listen mode=hold hello=0
timeouts=$(mpa_timeouts b) errors=$(mpa_errors b)
for words in '' "${REQUEST:0:9}" 'GET / HTTP/1.1\r\n\r\n\r\n' "$ANSWER\\x40\\x01\\x00\\x00" \
	"$REQUEST\\x40\\x09\\x00\\x00" "$REQUEST\\x40\\x01\\x02\\x01" \
	"$REQUEST\\x40\\x01\\x00\\x00more"; do
	start
	say_to "$XT_PORT" "$words"
	closed_by_peer || fail "'$words': not closed"
	hang_up
	within_ms 0 6000
done
equal "timeouts of b" $((timeouts + 2)) "$(mpa_timeouts b)"
equal "errors of b" $((errors + 5)) "$(mpa_errors b)"
told_is b 0 '.devices[0].objects.connection' show "$RD_B"

say "responder: many silent peers do not keep other peers out for long"
peers=()
for ((i = 0; i < 200; i++)); do
	say_to "$XT_PORT" ''
	peers+=("$PEER")
done
# Allow more time. The connect of side a may wait for the silent peers to time out, and for the
# retransmission of a SYN that found the backlog full.
configure_a startup-time=20s
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0
xt_try b wait ep=all state=request || {
	ss -tan "sport = $XT_PORT or dport = $XT_PORT" | tail -n 3
	nstat -az TcpExtListenOverflows TcpExtListenDrops
	xt a query
	fail "no request comes through; a: ${XT[0]}"
}
xt b accept
xt a wait ep=all state=ready
configure_a startup-time=1500ms
for PEER in "${peers[@]}"; do hang_up; done
xt a close ep=all
xt b wait ep=all state=disconnected
xt b close ep=all

say "responder: no first FPDU"
xt_listen hello=0
timeouts=$(mpa_timeouts b)
start
# A Request of revision 2 in peer-to-peer mode: IRD and ORD are 1, and the RTR is a Write.
say_to "$XT_PORT" "$REQUEST\\x50\\x02\\x00\\x04\\x80\\x01\\x80\\x01"
xt b wait ep=all state=disconnected
within_ms 1400 8000
xt b query
[[ ${XT[cm_events]} == *ESTABLISHED,*DISCONNECTED ]] || fail "events of b: ${XT[cm_events]}"
xt_is qp_state ERR
equal "timeouts of b" $((timeouts + 1)) "$(mpa_timeouts b)"
hang_up
xt b close ep=all

# half_way: opens connections in each stage of the setup. Four connections come from raw TCP peers:
# one peer has sent nothing, one has sent a part of a Request, one has sent a Request that side b
# has not answered, and one was accepted but has not sent the first FPDU. Three connections come
# from side a, and side b has not answered their Requests
half_way()
{
	xt_listen mode=hold hello=0
	peers=()
	for words in '' "${REQUEST:0:9}" "$REQUEST\\x40\\x01\\x00\\x00" \
		"$REQUEST\\x50\\x02\\x00\\x04\\x80\\x01\\x80\\x01"; do
		say_to "$XT_PORT" "$words"
		peers+=("$PEER")
	done
	xt b wait ep=all state=request n=2
	xt b accept
	xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0 n=3
	xt b wait ep=all state=request n=4
}
# went TIME CMD...: sets the time limits of the setup to TIME (such as 3s), and checks that CMD ends
# all connections of half_way()
went()
{
	say "half way: ${*:2}"
	# `rdma link del` waits until these time limits have passed, because iw_destroy_cm_id()
	# waits for the outcome of a pending connect or accept. For rmmod and `ip link del`, the
	# driver itself ends pending connects and accepts.
	configure "rtr-time=$1" "startup-time=$1"
	shift
	half_way
	start
	expect "$*" within 30 "$@"
	within_ms 0 8000
	xt_try a close ep=all || xt_is errno ENOENT
	xt_try b close ep=all || xt_is errno ENOENT
	xt_clean a
	xt_clean b
	for PEER in "${peers[@]}"; do
		# Without the interface, the driver cannot notify the peers.
		[ ! -e "/sys/class/net/$DEV_B" ] || closed_by_peer || fail "a peer is not closed"
		hang_up
	done
}
went 3s rdma link del "$RD_B"
expect "it comes back" rdma_link xiw "$RD_B" "$DEV_B"
went 30s rmmod xiw
expect "they come back" rdma_up xiw
went 30s ip link del "$DEV_B"
[ ! -e "/sys/class/infiniband/$RD_B" ] || fail "$RD_B outlived its network interface"
