# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Debian's perftest runs on xiw: every program for connected QPs, and the operations of RFC 7306.
# Results are printed and not checked.
# topology: one
# kernels: all
# timeout: 400
# shellcheck shell=bash

user_up
ADDRESS=$IP_B

# perftest connects twice to the same port. Its server destroys the first listener before it creates
# the second one, and its client does not wait. If the server is late, the connect of the client is
# refused, and the client crashes in librdmacm. This is a bug of librdmacm and not of xiw, so do not
# let the kernel log the crash.
sysctl -qw debug.exception-trace=0
REFUSED='RDMA_CM_EVENT_REJECTED; error: -111'
# LATE: how often a server was late. Once is acceptable. If it happens more often, the driver
# probably reports a listener before this listener is ready.
LATE=0

# perftest TEXT PROGRAM OPTION...: runs PROGRAM as server and client; repeats it if the server was
# late. TEXT: name of the case
perftest()
{
	local text=$1 rc port
	shift
	while :; do
		port=$((USER_PORT++)) rc=0
		server_up "$port" "$@" -R -F -d "$RD_B" -p "$port"
		say "+ $text: $*"
		beside_server on_a "$@" -R -F -d "$RD_A" -p "$port" "$ADDRESS" >/tmp/client 2>&1 || rc=$?
		cat /tmp/client
		[ "$rc" -ne 0 ] || break
		grep -qF "$REFUSED" /tmp/client || fail "$text: status $rc"
		LATE=$((LATE + 1))
		[ $LATE -le 1 ] || fail "$text: refused, $LATE times in all"
		server_stop
		say "its server was late"
	done
	server_done
}

perftest "send, bandwidth" ib_send_bw -n 200 -s 4096
perftest "send, latency" ib_send_lat -n 200 -s 64
perftest "send, latency, without inline" ib_send_lat -n 200 -s 64 -I 0
perftest "write, bandwidth" ib_write_bw -n 200 -s 65536
perftest "write, latency" ib_write_lat -n 200 -s 8
perftest "read, bandwidth" ib_read_bw -n 200 -s 65536
perftest "read, latency" ib_read_lat -n 200 -s 8
perftest "FetchAdd, bandwidth" ib_atomic_bw -A FETCH_AND_ADD -n 200
perftest "CmpSwap, latency" ib_atomic_lat -A CMP_AND_SWAP -n 200
perftest "Write with Immediate" ib_write_bw --write_with_imm -n 200 -s 4096
perftest "shared receive queue" ib_send_bw --use-srq -n 200 -s 1024
perftest "events" ib_send_lat -e -n 100 -s 64
perftest "eight queue pairs" ib_write_bw -q 8 -n 100 -s 4096
perftest "both directions" ib_send_bw -b -n 200 -s 4096
say "retries: $LATE"
user_clean
