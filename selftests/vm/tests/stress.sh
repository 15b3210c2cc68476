# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs all operations at once, for XIW_TEST_SECONDS seconds (default 60). Connections are made,
# accepted, held and rejected. Under traffic, side a moves QPs to ERR, RESET and SQD, side b moves
# QPs to ERR, and both sides destroy QPs. In the meantime, devices are deleted and added, and xiw
# and rdma read all objects. If the kernel supports it, CPUs go offline. With the software RNIC,
# network namespaces are also deleted. No command hangs, the kernel log has no splat, no object is
# left, and the devices work. A single command may fail, because the other commands disturb it.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 400
# group: stress
# shellcheck shell=bash

PORT_ACCEPT=7306 PORT_REJECT=7307 PORT_HOLD=7308
SOON=$((5000 * PATIENCE))

# try SESSION COMMAND...: runs COMMAND, and counts its result by the errno. A command without an
# answer counts as "no answer"
try()
{
	if xt_try "$@"; then
		counted "$2"
		return 0
	fi
	counted "$2: ${XT[errno]-no answer}"
	return 1
}

# client NAME: opens the session NAME. Until the test ends, repeatedly makes one to three
# connections, uses them and closes them.
client()
{
	local port op n len state
	xt_open "$1" a
	try "$1" buf name=m size=2M
	while working; do
		port=$(any $PORT_ACCEPT $PORT_ACCEPT $PORT_ACCEPT $PORT_HOLD $PORT_REJECT)
		n=$((RANDOM % 3 + 1))
		if try "$1" connect "addr=$IP_B" "port=$port" "n=$n" "timeout=$SOON" \
			"sq=$(any 8 64)" "poll=$(any softirq workqueue unbound)"; then
			op=$(any send write read write_imm fetchadd cmpswp)
			case $op in fetchadd | cmpswp) len=8 ;; *) len=$(any 0 8 4096 65000) ;; esac
			try "$1" run ep=all "op=$op" "len=$len" buf=m off=1M "qd=$(any 1 8)" \
				"ms=$((RANDOM % 300))" "timeout=$SOON"
			# Without ep, a command uses the newest endpoint. So this post and the next
			# command do not affect the other endpoints.
			try "$1" post "op=$(any write read)" buf=m len=4096 n=4 signal=0
			state=$(any ERR RESET SQD disconnect close drain none)
			case $state in
			ERR | RESET | SQD) try "$1" modify "state=$state" ;;
			disconnect | close | drain) try "$1" "$state" ;;
			esac
		fi
		try "$1" close ep=all
	done
	xt_close "$1"
}

# server: until the test ends, accepts, rejects, destroys or aborts connections at random. Tries to
# listen again from time to time, because the removal of the device also removes its listeners.
server()
{
	local export='export=m export_len=1M sink=16 sink_len=65536 sink_buf=m sink_off=1M'
	xt_open s b
	try s buf name=m size=4M
	while working; do
		# shellcheck disable=SC2086
		try s listen "addr=$IP_B" port=$PORT_ACCEPT autoclose=1 backlog=64 $export
		try s listen "addr=$IP_B" port=$PORT_REJECT mode=reject backlog=64
		# shellcheck disable=SC2086
		try s listen "addr=$IP_B" port=$PORT_HOLD mode=hold autoclose=1 backlog=64 $export
		for ((turn = 0; turn < 10; turn++)); do
			case $(any request request destroy err none) in
			request)
				try s wait ep=all state=request timeout=100 && pause
				try s "$(any accept accept reject close)" ;;
			destroy) ! try s query || [ "${XT[state]}" = listen ] || try s close ;;
			err) ! try s query || [ "${XT[state]}" = listen ] || try s modify state=ERR ;;
			none) pause ;;
			esac
			working || break
		done
	done
	xt_close s
}

# devices_come_and_go: until the end, deletes and adds the device of one side at a time
devices_come_and_go()
{
	local side name netdev
	while working; do
		pause 4
		if [ "$(any a b)" = a ]; then name=$RD_A netdev=$DEV_A; else name=$RD_B netdev=$DEV_B; fi
		if ! within 60 rdma link del "$name"; then
			counted "link del: failed"
			continue
		fi
		counted "link del"
		pause
		rdma_link xiw "$name" "$netdev" || counted "link add: failed"
	done
}

# cpus_come_and_go: until the end, sets one CPU at a time offline and online
cpus_come_and_go()
{
	local cpu
	while working; do
		cpu=/sys/devices/system/cpu/cpu$((RANDOM % ($(nproc --all) - 1) + 1))/online
		echo 0 >"$cpu" && counted "CPU offline"
		pause
		echo 1 >"$cpu" || counted "CPU online: failed"
		pause
	done
}

# in_space NAME SESSION COMMAND...: runs COMMAND in SESSION; succeeds if the answer is "ok". A
# process in the network namespace NAME writes COMMAND, because the exerciser uses the namespace of
# this process
in_space()
{
	local line fd=${XT_FD[$2]}
	# shellcheck disable=SC2016
	nsenter "--net=/run/netns/$1" bash -c 'printf "%s\n" "$1" >&"$2"' - "${*:3}" "$fd"
	IFS= read -r -u "$fd" line
	[[ $line == status=ok* ]]
}

# spaces_come_and_go: until the end, makes two namespaces with a connection between their devices,
# and deletes these namespaces
spaces_come_and_go()
{
	local side
	for side in x y; do
		xt_open s$side a
		try s$side buf name=m size=2M
	done
	while working; do
		for side in x y; do ip netns add $side; done
		ip link add sx netns x type veth peer name sy netns y
		nsenter --net=/run/netns/x /run/guest/call side_up sx 10.11.0.1 fd00:11::1
		nsenter --net=/run/netns/y /run/guest/call side_up sy 10.11.0.2 fd00:11::2
		for side in x y; do
			nsenter --net=/run/netns/$side rdma link add sx$side type xiw netdev s$side
		done
		if in_space y sy listen addr=10.11.0.2 port=$XT_PORT export=m export_len=1M autoclose=1 &&
			in_space x sx connect addr=10.11.0.2 port=$XT_PORT "timeout=$SOON"; then
			counted "namespaces with a connection"
			try sx post op=write buf=m len=65000 n=8 signal=0
		fi
		for side in $(any "x y" "y x"); do
			ip netns del $side
			counted "namespaces deleted"
		done
		try sx close ep=all
		try sy close ep=all
		while [ -e /sys/class/net/sx ]; do working || break; pause; done
		# The last part of the cleanup of a namespace is asynchronous, so wait until its
		# devices are gone.
		while rdma dev show | grep -q ' sx[xy]:'; do working || break; pause; done
	done
	xt_close sx
	xt_close sy
}

# reader: until the end, reads all objects with xiw and rdma
reader()
{
	local what
	while working; do
		what=$(any show conn term stat dump mr)
		within 30 xiw --json "$what" >/dev/null || counted "xiw $what: status $?"
		within 30 rdma resource show >/dev/null
		counted "looks"
		pause
	done
}

xt_up
# Copy the tool, because otherwise each start reads it through the shared folder.
mkdir -p /run/bin
cp /lab/in/utils/xiw /run/bin/
PATH=/run/bin:$PATH

workers_for "${XIW_TEST_SECONDS:-60}"
worker server server
for ((i = 1; i <= 4; i++)); do worker "client$i" client "c$i"; done
worker devices devices_come_and_go
worker reader reader
seen=(connect run post modify close listen "link del" looks)
# The CPUs of User-Mode Linux cannot go offline.
if [ -e /sys/devices/system/cpu/cpu1/online ]; then
	worker cpus cpus_come_and_go
	seen+=("CPU offline")
else
	say "no CPU goes offline here"
fi
if [ "$RNIC" = soft ]; then
	worker spaces spaces_come_and_go
	seen+=("namespaces with a connection" "namespaces deleted")
fi
workers_end 120
workers_table
for what in "link del: failed" "link add: failed" "CPU online: failed" "connect: no answer" \
	"close: no answer"; do
	equal "$what" 0 "$(workers_count "$what")"
done
for what in "${seen[@]}"; do
	[ "$(workers_count "$what")" -gt 0 ] || fail "no $what went well"
done

say "and then all is as it was"
settled()
{
	local side
	for side in a b; do
		[ "$(told $side '.devices[0].state' show "$(rd_of $side)")" = '"active"' ] || return
	done
}
wait_for 20 settled || fail "devices: $(xiw --json show)"
xt_pair
for side in a b; do
	wait_for 20 objects_gone $side ||
		fail "objects stay on $side: $(objects_of $side)"
done
xt_clean a
xt_listen
xt_join
xt_every_op 65000
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
xt_part
xt b close ep=all
xiw_clean
