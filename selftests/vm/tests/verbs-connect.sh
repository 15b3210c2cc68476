# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The test accepts and rejects connections, connects to a port without a listener, passes private
# data, and makes many connections at once and repeatedly. No object is left.
# topology: netns one pair
# kernels: all
# timeout: 600
# shellcheck shell=bash

ROUNDS=100 CONNECTIONS=32

xt_up
xt_pair

say "accept: private data of both sides, depths of both sides"
xt_meet_held
xt_is qp_state RTS
# Omit this check for rxe. InfiniBand takes the ORD from the Reply, and rxe rounds this value up.
[ "$(xt_type)" = rxe ] || xt_is ord 4
xt b recv "ep=$EP_B"
xt_wc SUCCESS a wr op=send
xt_wc SUCCESS b wc "ep=$EP_B"
xt_try b wait "ep=$EP_B" state=ready || fail "the passive side is ${XT[0]}"

say "disconnect by the passive side"
xt b disconnect "ep=$EP_B"
xt a wait "ep=$EP_A" state=disconnected
xt b wait "ep=$EP_B" state=disconnected
xt a close "ep=$EP_A"
xt b close "ep=$EP_B"

say "reject"
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0
EP_A=${XT[ep]}
xt b wait ep=all state=request
xt b reject pdata=dead01
xt a wait "ep=$EP_A" state=rejected
xt a query "ep=$EP_A"
[[ ${XT[pdata]} == dead01* ]] || fail "private data of the reject: ${XT[pdata]}"
xt a close "ep=$EP_A"

say "the peer gives up while the request is held"
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0
xt b wait ep=all state=request
EP_B=${XT[ep]}
xt b close "ep=$EP_B"
xt a wait ep=all state=rejected
xt a close ep=all
xt b close "ep=$LISTENER"

say "nobody listens"
xt_err ECONNREFUSED a connect "addr=$IP_B" port=7999 hello=0
xt a connect "addr=$IP_B" port=7999 hello=0 pdata=beef wait=0
EP_A=${XT[ep]}
xt a wait "ep=$EP_A" state=rejected
xt a query "ep=$EP_A"
equal "private data of nobody" "" "${XT[pdata]}"
xt a close "ep=$EP_A"
xt a stat
xt_is eps 0

say "nobody has the address"
xt_try a connect addr=10.10.0.99 "port=$XT_PORT" rtimeout=3000 timeout=20000 &&
	fail "connected to nobody: ${XT[0]}"
[[ ${XT[errno]} == @(EHOSTUNREACH|ETIMEDOUT|ENETUNREACH) ]] || fail "dead address: ${XT[0]}"
xt a stat
xt_is eps 0

# six_taken: succeeds if side a listens on the ports 40000 to 40005
six_taken() { [ "$(on_a ss -Htnl "sport >= 40000 and sport <= 40005" | wc -l)" -eq 6 ]; }
# taken_ports: checks connects while other programs use ports that rdma_cm may choose
taken_ports()
{
	say "other programs have ports that rdma_cm may draw"
	local range port i
	range=$(on_a sysctl -n net.ipv4.ip_local_port_range)
	on_a sysctl -qw net.ipv4.ip_local_port_range="40000 40012"
	for port in 40000 40001 40002 40003 40004 40005; do
		on_a socat "TCP-LISTEN:$port,bind=$IP_A,reuseaddr" - </dev/null >/dev/null 2>&1 &
	done
	wait_for 20 six_taken || fail "nobody listens"
	for i in 1 2 3 4 5 6; do
		xt_listen
		xt a connect "addr=$IP_B" "port=$XT_PORT"
		xt b wait ep=all state=ready
		# If both ends close at the same time, a port of side a stays in TIME_WAIT. So there
		# must be at least as many free ports as rounds.
		xt b close ep=all
		xt a wait ep=all state=disconnected
		xt a close ep=all
	done
	on_a pkill -f "[T]CP-LISTEN:4000"
	on_a sysctl -qw net.ipv4.ip_local_port_range="$range"
}
# Omit this in topology pair, because the requests of on_b() to guest b need ports of the same
# range.
[ "$TOPOLOGY" = pair ] || taken_ports

say "a second listener on the same port"
xt b listen "addr=$IP_B" "port=$XT_PORT"
LISTENER=${XT[ep]}
xt_err EADDRINUSE b listen "addr=$IP_B" "port=$XT_PORT"
xt b close "ep=$LISTENER"

# For InfiniBand and RoCE, rdma_cm checks the reverse route of a connection. The routing rules of
# topology "one" hide that route, so skip IPv6 with rxe.
if [ "$(xt_type)" != rxe ]; then
	say "IPv6"
	# rdma_cm may fail if the neighbour entry has expired, so let ping renew the entry.
	rnic_pci || wait_for 10 on_a ping -c 1 -W 1 "$IP6_B"
	xt b listen "addr=$IP6_B" "port=$XT_PORT" export=m export_len=64K
	xt a connect "addr=$IP6_B" "port=$XT_PORT"
	xt a fill buf=m len=5000 seed=6
	xt_wc SUCCESS a wr op=write buf=m len=5000
	xt_wc SUCCESS a wr op=read buf=m off=1M len=5000
	xt b check buf=m len=5000 seed=6
	xt a check buf=m off=1M len=5000 seed=6 pos=0
	xt a close ep=all
	xt b wait ep=all state=disconnected
	xt b close ep=all
fi

say "$ROUNDS rounds of $CONNECTIONS connections"
xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=64K backlog=128 autoclose=1 sq=8 rq=8
for ((round = 0; round < ROUNDS; round++)); do
	xt a connect "addr=$IP_B" "port=$XT_PORT" "n=$CONNECTIONS" sq=8 rq=8
	if [ $((round % 10)) -eq 0 ]; then
		say "round $round"
		xt a run ep=all op=write buf=m off=4M len=512 qd=2 count=4 spread=1 verify=1
	fi
	xt a close ep=all "drain=$((round & 1))"
done
gone() { xt b stat && [ "${XT[eps]}" -eq 1 ]; }
wait_for 30 gone || fail "endpoints stay: ${XT[0]}"
xt b close ep=all
xt_clean a
xt_clean b
