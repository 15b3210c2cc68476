# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions that the benchmarks with the kernel exerciser share. Session a on side a writes to,
# reads from and sends to session b on side b. The benchmark sets MTU and ROUND. speed() writes both
# into each row of results.
# shellcheck shell=bash

# speed_join [CONNECTIONS [KEY=VALUE...]]: opens the sessions and CONNECTIONS connections (by
# default, one). The KEYs are arguments of the exerciser's commands listen and connect. All
# operations use the same memory.
speed_join()
{
	local side n=${1-1}
	for side in a b; do
		xt_open $side $side
		xt $side buf name=m size=8M
	done
	xt b listen "addr=$IP_B" "port=$XT_PORT" backlog=512 export=m export_len=1M sq=128 rq=320 \
		sink=256 sink_len=1M sink_off=4M sink_shared=1 "${@:2}"
	xt a connect "addr=$IP_B" "port=$XT_PORT" "n=$n" sq=128 nudge=1000 "${@:2}"
	xt b wait ep=all state=ready "n=$n"
	CONNS=$n
}

# speed_listen GROUP: opens the sessions aGROUP and bGROUP. bGROUP listens for connections that stay
# idle. GROUP is a number.
speed_listen()
{
	local side
	for side in a b; do
		xt_open "$side$1" $side
	done
	xt "b$1" listen "addr=$IP_B" port=$((8000 + $1)) backlog=512 hello=0
}

# speed_connect GROUP N: makes N idle connections, with queues of 64 entries and nothing posted.
# Returns an error if a connection fails.
speed_connect()
{
	xt_try "a$1" connect "addr=$IP_B" port=$((8000 + $1)) "n=$2" hello=0 &&
		xt_try "b$1" wait ep=all state=ready "n=$2"
}

# speed_part: closes both sessions and their connections
speed_part()
{
	xt_close a
	xt_close b
}

# speed OP OCTETS DEPTH MS [KEY=VALUE...]: measures the operation OP for MS milliseconds, and writes
# a row with the result and the KEYs. OCTETS is the size of an operation, and DEPTH the number of
# pending operations on each connection. If the operations fail on an xiw device, fails the test. If
# they fail on a device of another type, writes a row with the error, and replaces the connections.
# SPEED_KEYS: further arguments of the exerciser's command "run"
SPEED_KEYS=()
speed()
{
	local row=(work="$1" octets="$2" depth="$3" mtu="$MTU" conns="$CONNS"
		type="$XIW_TEST_TYPE" round="$ROUND" "${@:5}")
	bench_begin
	if xt_try a run ep=all "op=$1" buf=m off=4M "len=$2" "qd=$3" "ms=$4" shared=1 \
		timeout=5000 "${SPEED_KEYS[@]}"; then
		bench_row "${row[@]}" ns="${XT[ns_per_op]}" ops="${XT[ops]}" busy="$(bench_busy)"
	else
		[ "$XIW_TEST_TYPE" != xiw ] || fail "$*: ${XT[0]}"
		say "$XIW_TEST_TYPE ${*:1:3}: ${XT[0]}"
		bench_row "${row[@]}" error="${XT[errno]:-hangs}"
		speed_part
		speed_join "$CONNS"
	fi
}

# speed_down: removes the devices, and unloads the driver and the exerciser
speed_down()
{
	unload xiw_test
	rdma_down
	unload "$(rdma_module "$XIW_TEST_TYPE")"
}
