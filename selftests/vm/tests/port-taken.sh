# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RDMA listener on all addresses exists before the device, and a TCP socket uses the same port.
# rdma_cm must not lose the device: all other functions work, and the listener waits until TCP
# releases the port.
# topology: one netns
# kernels: all
# rnic: soft
# timeout: 240
# shellcheck shell=bash

PORT=7400 PORT_OTHER=7401 PORT_LAST=7402

expect "the driver" load xiw
expect "the exerciser" load xiw_test
xt_pair
xt_open any b

# tcp_has PORT: succeeds if a TCP socket of side b listens on PORT
tcp_has() { on_b ss -Htnl sport = "$1" | grep -q .; }
tcp_take()
{
	ON_TIMEOUT=300 on_b socat -u "TCP-LISTEN:$1,reuseaddr,fork" OPEN:/dev/null &
	wait_for 10 tcp_has "$1" || fail "socat does not listen on port $1"
}
tcp_release() { on_b pkill -f "[T]CP-LISTEN:$1,"; }

# waiting: prints, as a JSON array, the ports of RDMA listeners of side b that wait for TCP to
# release the port
waiting()
{
	told b '[.connections[] | select(.role == "listener" and .port_taken) | .local.port]' \
		conn "$RD_B"
}
nobody_waits() { [ "$(waiting)" = '[]' ]; }
# logged TEXT: prints how many lines of the kernel log have TEXT for the device of side b
logged() { dmesg | grep -c "$RD_B: $1" || :; }
links_down()
{
	expect "$RD_A goes" on_a within 20 rdma link del "$RD_A"
	expect "$RD_B goes" on_b within 20 rdma link del "$RD_B"
}
works()
{
	xt_listen
	xt_join
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=16 verify=1
	xt_part
	xt b close "ep=$LISTENER"
}

say "TCP has the port, an RDMA listener wants it on all devices, and then the devices come"
tcp_take $PORT
xt any listen addr=0.0.0.0 port=$PORT hello=0
xt_is dev any
RD_B=xiwb
TAKEN=$(logged "0.0.0.0:$PORT is in use")
LISTENED=$(logged "listening on 0.0.0.0:$PORT")
expect "links" rdma_up xiw
equal "listeners of b that wait" "[$PORT]" "$(waiting)"
equal "lines of the log" $((TAKEN + 1)) "$(logged "0.0.0.0:$PORT is in use")"
for command in conn show; do
	on_b xiw $command "$RD_B" >/tmp/shown || fail "xiw $command: status $?"
	grep -q 'port taken' /tmp/shown || fail "xiw $command: $(</tmp/shown)"
done
on_b xiw doctor >/tmp/shown || :
grep -q "a listener of $RD_B waits for 0.0.0.0:$PORT" /tmp/shown || fail "doctor: $(</tmp/shown)"
told_is b "[[\"listener\",$PORT]]" \
	'[.notices[] | select(.kind == "listen-error") | [.role, .local.port]]' term "$RD_B"

say "everything else works"
works

say "an ordinary listener is refused"
tcp_take $PORT_OTHER
xt_err EADDRINUSE b listen "addr=$IP_B" port=$PORT_OTHER hello=0
xt_err EADDRINUSE b listen addr=0.0.0.0 port=$PORT_OTHER hello=0
tcp_release $PORT_OTHER

say "the device goes and comes back while the listener waits"
links_down
expect "links" rdma_up xiw
equal "listeners of b that wait" "[$PORT]" "$(waiting)"
works

say "TCP releases the port"
tcp_release $PORT
wait_for 40 nobody_waits || fail "the listener waits on: $(waiting)"
equal "lines of the log" $((LISTENED + 1)) "$(logged "listening on 0.0.0.0:$PORT")"
told_is b "[$PORT]" '[.connections[] | select(.role == "listener") | .local.port]' conn "$RD_B"
xt a connect "addr=$IP_B" port=$PORT hello=0
xt any wait ep=all state=ready
xt a close ep=all
xt any wait ep=all state=disconnected
xt any close ep=all

say "the listener goes while it waits"
links_down
tcp_take $PORT_LAST
xt any listen addr=0.0.0.0 port=$PORT_LAST hello=0
expect "links" rdma_up xiw
equal "listeners of b that wait" "[$PORT_LAST]" "$(waiting)"
xt any close ep=all
equal "listeners of b" 0 "$(objects_of b .listener)"
works
tcp_release $PORT_LAST
xt_close any
xiw_clean
