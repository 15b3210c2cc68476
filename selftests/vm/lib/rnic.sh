# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# PCIe RNICs (lab run --rnic pci, --rnic mixed). A process of the device model, xiw-rnic, implements
# each PCI function in a network namespace of its own on the host. A bridge in a third namespace,
# "wire", connects the functions:
#
#   function a --vfio-user-- xiw-rnic | rnic0 ==,
#   function b --vfio-user-- xiw-rnic | rnic0 ==+= bridge
#   plain interface ------------- QEMU's tap ---'
#
# If there are two guests, each has one function. A single guest has both functions or, with --rnic
# mixed, only function a. A single guest also has a plain interface. The wire peer uses the plain
# interface; with --rnic mixed, side b uses it.
# shellcheck shell=bash

declare -A RNIC_NS=()	# for a, b and wire, a process in the network namespace
declare -A RNIC_PID=()	# for each side, the process of its model

# rnic_prepare: sets RNIC_BINARY to the path of xiw-rnic, and RNIC_ROOT to the root in which
# xiw-rnic runs. Does nothing with --rnic soft.
rnic_prepare()
{
	[ "$RUN_RNIC" != soft ] || return 0
	host_packages ip=iproute2
	RNIC_BINARY=$(find "$TREE/build/guest" -name xiw-rnic -type f -perm -u+x -print -quit 2>/dev/null)
	[ "$RNIC_BINARY" ] ||
		die "no xiw-rnic (lab in check selftests/cmake utils build/guest/utils)"
	root_tool
	RNIC_ROOT=$ROOT
}

# rnic_wire_up: creates the three network namespaces with their interfaces, and starts rnic_servant.
# Sets RNIC_NS to a process in each namespace. A namespace exists as long as its process.
rnic_wire_up()
{
	local side
	[ "$RUN_RNIC" != soft ] || return 0
	RNIC_PIDS=()
	for side in a b wire; do
		unshare --net sleep infinity &
		RNIC_PIDS+=($!)
		RNIC_NS[$side]=$!
		until_true "a network namespace" rnic_ns_made $!
	done
	rnic_ip wire link add bridge type bridge
	for side in a b; do
		rnic_ip wire link add "port-$side" type veth \
			peer name rnic0 address "52:54:00:73:06:0$side" netns "${RNIC_NS[$side]}"
		rnic_ip "$side" link set lo up
		rnic_ip "$side" link set rnic0 up
		rnic_ip wire link set "port-$side" master bridge up
	done
	rnic_ip wire tuntap add plain mode tap
	rnic_ip wire link set plain master bridge up
	rnic_ip wire link set bridge up
	rnic_servant "$RUN_DIR" &
	RNIC_PIDS+=($!)
}

# rnic_ns_made PID: succeeds if the process PID has a network namespace of its own
rnic_ns_made() { ! [ "/proc/$1/ns/net" -ef /proc/self/ns/net ]; }

# rnic_in SIDE CMD...: replaces this process with CMD in the network namespace of SIDE: a, b or wire
rnic_in()
{
	exec nsenter "--net=/proc/${RNIC_NS[$1]}/ns/net" "${@:2}"
}

# rnic_ip SIDE ARG...: runs ip(8) in the network namespace of SIDE
rnic_ip() { (rnic_in "$1" ip "${@:2}"); }

# until_true WHAT CMD...: waits until CMD succeeds, at most ten seconds times PATIENCE. After this
# time, ends the lab with an error that contains WHAT.
until_true()
{
	local tries
	for ((tries = 0; tries < 100 * PATIENCE; tries++)); do
		! "${@:2}" || return 0
		read -r -t 0.1 <><(:) || :
	done
	die "$1: waited in vain"
}

# rnic_start SIDE: starts the device model of the function of SIDE, a or b, and returns when it
# listens. Call this function before each start of QEMU.
rnic_start()
{
	local side=$1 log=$RUN_DIR/lab/out/rnic-$1.log arg args=()
	for arg in "${RNIC_ARGS[@]}"; do
		case $arg in
		"$side":*) args+=("${arg#*:}") ;;
		[ab]:*) ;;
		*) args+=("$arg") ;;
		esac
	done
	[ -z "${RNIC_PID[$1]-}" ] || kill "${RNIC_PID[$1]}" 2>/dev/null || :
	rm -f "$RUN_DIR/rnic-$side"
	(
		cd "$TREE" || exit
		rnic_in "$side" unshare --mount --propagation private "$LAB/lib/enter" -t "$TREE" \
			"$RNIC_ROOT" "$RNIC_BINARY" --socket "$RUN_DIR/rnic-$side" --netdev rnic0 \
			"${args[@]}"
	) </dev/null >>"$log" 2>&1 &
	RNIC_PID[$side]=$!
	disown $!	# a test may kill this process
	echo $! >"$RUN_DIR/rnic-$side.dies"
	RNIC_PIDS+=($!)
	until_true "the RNIC of $side ($log)" rnic_listens "$side" "$!"
}

# rnic_listens SIDE PID: succeeds if the device model of SIDE listens. The socket gets its final
# name only when the model listens. Ends the lab if PID, the process of the model, has died.
rnic_listens()
{
	kill -0 "$2" 2>/dev/null || { cat "$RUN_DIR/lab/out/rnic-$1.log" >&2; die "the RNIC of $1 died"; }
	[ -S "$RUN_DIR/rnic-$1" ]
}

# rnic_servant DIR: executes the requests of tests. DIR is the folder of the run. A test makes a
# file in DIR/lab/out, and waits until the file is removed:
#
#   rnic-SIDE.dies  end the device model of SIDE (rnic_dies). DIR/rnic-SIDE.dies contains the pid of
#                   the model. The function sends SIGTERM, so that the model shuts down properly:
#                   QEMU 11.1 often dies if the model ends with unread messages
#   rnic-SIDE.down  disconnect SIDE from the bridge (rnic_cable)
#   rnic-SIDE.up    connect SIDE to the bridge again
rnic_servant()
{
	local file name side
	while :; do
		for file in "$1"/lab/out/rnic-[ab].{dies,down,up}; do
			[ -e "$file" ] || continue
			name=${file##*/} side=${file##*/rnic-}
			case $name in
			*.dies) kill "$(<"$1/$name")" 2>/dev/null || : ;;
			*) rnic_ip wire link set "port-${side%.*}" "${name##*.}" ;;
			esac
			rm "$file"
		done
		read -r -t 0.3 <><(:) || :
	done
}

# rnic_sides GUEST: prints the sides whose functions GUEST has: a, b, or both
rnic_sides()
{
	if [ "$RUN_PAIR" ]; then echo "$1"
	elif [ "$RUN_RNIC" = mixed ]; then echo a
	else echo a b; fi
}

# rnic_args GUEST MEM_MIB: prints QEMU's arguments for the functions of GUEST, one on each line.
# MEM_MIB: the guest's memory. On a busy host the device model may answer slowly, and QEMU treats a
# late answer as fatal, so x-msg-timeout is long (15 s). But a CPU that waits for a dead model must
# return before the guest's watchdog fires after 20 s.
rnic_args()
{
	local side n=0
	[ "$RUN_RNIC" != soft ] || return 0
	[ "$RUN_PAIR" ] || printf '%s\n' -netdev tap,id=plain,ifname=plain,script=no,downscript=no \
		-device virtio-net-pci,netdev=plain,mac=52:54:00:73:06:0c
	printf '%s\n' -object "memory-backend-memfd,id=ram,size=$2M,share=on" \
		-machine memory-backend=ram
	for side in $(rnic_sides "$1"); do
		n=$((n + 1))
		printf '%s\n' -device "pcie-root-port,id=port$n,chassis=$n,x-speed=2_5,x-width=1" -device \
			"{\"driver\":\"vfio-user-pci\",\"id\":\"rnic$n\",\"bus\":\"port$n\",\
\"x-msg-timeout\":15000,\"socket\":{\"type\":\"unix\",\"path\":\"$RUN_DIR/rnic-$side\"}}"
	done
}

# rnic_stop: ends the processes in RNIC_PIDS, which the functions above have started. The network
# namespaces end with them.
rnic_stop()
{
	local pid
	for pid in "${RNIC_PIDS[@]}"; do
		kill "$pid" 2>/dev/null || :
	done
	for pid in "${RNIC_PIDS[@]}"; do
		pid_end "$pid"
	done
	RNIC_PIDS=()
}
