# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# User-space programs on xiw devices: the provider of this tree, and programs of Debian.
# shellcheck shell=bash

USER_PORT=7200	# the next free port; a port may stay in use after its program ends

# user_provider: installs the provider where libibverbs finds it, on both sides
user_provider()
{
	on_a provider_install || fail "side a: no provider"
	[ "$TOPOLOGY" != pair ] || on_b provider_install || fail "side b: no provider"
}

# user_up: creates devices on both sides, and installs the provider
user_up()
{
	user_provider
	expect "devices" rdma_up xiw
}

# provider_install: installs the provider in this guest, whose disk is discarded afterwards
provider_install()
{
	local folder file
	folder=$(echo /usr/lib/*-linux-gnu)
	file=$(echo /lab/in/utils/libxiwdv.so.*)
	[ -e "$file" ] || { say "no provider in build/guest/utils"; return 1; }
	cp "$file" $folder/ && ldconfig &&
		ln -sf ../libxiwdv.so.1 $folder/libibverbs/libxiw-rdmav34.so &&
		echo "driver xiw" >/etc/libibverbs.d/xiw.driver
}

# hold STATE: starts xiw-verbs in the background, and waits until the process has reached STATE. The
# process then stays in this state. Sets HELD to the process, and HOLD_LOG to its log.
hold()
{
	HOLD_LOG=/tmp/hold-$1.log
	# The process may open its log late, so remove the log of an earlier process.
	rm -f "$HOLD_LOG"
	xiw-verbs "$IP_A" "$IP_B" hold "$1" >"$HOLD_LOG" 2>&1 &
	HELD=$!
	wait_for 30 hold_entered || fail "$1: $(cat "$HOLD_LOG")"
}
hold_entered() { grep -qs '^holding$' "$HOLD_LOG"; }

# hold_kill: kills the process that hold() has started, and fails the test if the process has ended
# before
hold_kill()
{
	kill -9 $HELD || fail "the process ended: $(cat "$HOLD_LOG")"
	wait $HELD 2>/dev/null || :
}

# serving PORT: succeeds if the RNIC of side b listens at PORT. The function uses xiw conn, because
# rdma_cm lists a listener before the RNIC listens. If the driver of side b's device is not xiw, the
# function uses rdma_cm's list.
serving()
{
	[[ $RD_B == xiw* ]] || { on_b listening "$1"; return; }
	told b ".connections[] | select(.role == \"listener\" and .local.port == $1)" \
		conn "$RD_B" | grep -q .
}

# tcp_listening PORT: succeeds if a TCP socket of this side listens on PORT
tcp_listening() { ss -Hltn "sport = :$1" | grep -q .; }

# gid DEVICE INDEX: prints the entry INDEX of ib_core's GID table for DEVICE
gid() { cat "/sys/class/infiniband/$1/ports/1/gids/$2"; }

# mapped ADDRESS: prints the GID for the IPv4 address ADDRESS
mapped()
{
	local a b c d
	IFS=. read -r a b c d <<<"$1"
	printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' "$a" "$b" "$c" "$d"
}

# server_up PORT PROGRAM...: runs a server in the background on side b, and waits until it listens
# at PORT. Sets SERVER to its process and SERVER_LOG to its log.
server_up()
{
	SERVER_LOG=/tmp/server-$1.log
	on_b "${@:2}" >"$SERVER_LOG" 2>&1 &
	SERVER=$!
	wait_for 20 serving "$1" || {
		cat "$SERVER_LOG"
		fail "$2 does not listen on $1"
	}
}

# server_done: waits until the server ends by itself, and checks that its status is 0
server_done()
{
	local rc=0
	wait "$SERVER" || rc=$?
	[ "$rc" -eq 0 ] || { cat "$SERVER_LOG"; fail "server: status $rc"; }
}

# server_stop: kills a server that is still waiting for a client
server_stop()
{
	pkill -P "$SERVER" || :	# kill the process of the time limit, which kills its children
	wait "$SERVER" || :
}

# beside_server CMD...: runs the client CMD, and returns its status. If CMD fails, prints the output
# of the server and the state of the xiw devices.
beside_server()
{
	local rc=0
	"$@" || rc=$?
	[ "$rc" -ne 0 ] || return 0
	say "status $rc; the server$(kill -0 "$SERVER" 2>/dev/null || echo " (ended)") printed:"
	cat "$SERVER_LOG"
	[[ $RD_A != xiw* ]] || { on_a xiw term "$RD_A" && on_a xiw stat "$RD_A"; } || :
	[[ $RD_B != xiw* ]] || { on_b xiw conn "$RD_B" && on_b xiw stat "$RD_B"; } || :
	return "$rc"
}

# user_pair TEXT SERVER CLIENT: runs the command lines SERVER on side b and CLIENT on side a, and
# checks that both succeed. In the command lines, @PORT stands for a free port, and @ADDRESS for the
# variable ADDRESS, the address of the server. TEXT describes the test in the output.
user_pair()
{
	local server client port=$((USER_PORT++))
	server=${2//@PORT/$port} client=${3//@PORT/$port}
	# shellcheck disable=SC2086
	server_up "$port" ${server//@ADDRESS/$ADDRESS}
	# shellcheck disable=SC2086
	expect "$1" beside_server on_a ${client//@ADDRESS/$ADDRESS}
	server_done
}

# user_clean: checks that user-space processes have left no objects on either side
user_clean()
{
	local side
	for side in a b; do
		wait_for 10 objects_gone $side ||
			fail "objects stay on $side: $(objects_of $side)"
		rdma_empty $side qp cm_id mr cq pd srq
	done
}
