# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# QEMU migrates a virtual machine over RDMA. The memory of the machine contains known data, which
# the test compares after the migration. The firmware of the machine runs during the migration.
# topology: one
# kernels: all
# disk: programs
# timeout: 400
# shellcheck shell=bash

user_up
MEMORY=$((64 << 20))
AT=$((16 << 20)) LENGTH=$((16 << 20))	# offset and length of the known data
head -c $LENGTH /dev/urandom >/tmp/known

# machine NAME OPTION...: starts QEMU in the background with these options, and waits until its
# monitor answers
machine()
{
	rm -f "/tmp/$1.monitor"
	qemu-system-x86_64 -machine pc,accel=tcg -m 64 -nodefaults -display none -serial none \
		-monitor "unix:/tmp/$1.monitor,server=on,wait=off" "${@:2}" \
		>"/tmp/$1.log" 2>&1 &
	MACHINES+=($!)
	wait_for 30 monitor "$1" "info status" || fail "no machine $1: $(cat "/tmp/$1.log")"
}
MACHINES=()

# monitor NAME COMMAND: runs COMMAND in the monitor of the machine NAME, and prints the output
monitor() { echo "$2" | within 60 socat -t 60 - "UNIX-CONNECT:/tmp/$1.monitor" | tr -d '\r'; }
status_is() { monitor "$1" "info migrate" | grep -q "^Migration status: $2"; }
runs() { monitor "$1" "info status" | grep -q "VM status: running"; }
moved() { status_is from completed || status_is from failed; }

# move TEXT [CAPABILITY]: migrates a machine from side a to side b, and compares its memory. TEXT:
# name of the case. CAPABILITY: migration capability to switch on in both QEMUs
move()
{
	local port=$((USER_PORT++)) name before
	before=$(counter a tx_bytes)
	machine from -device "loader,file=/tmp/known,addr=$AT,force-raw=on"
	machine to -incoming defer
	for name in from to; do
		[ $# -eq 1 ] || monitor $name "migrate_set_capability $2 on" >/dev/null
	done
	say "+ $1"
	monitor to "migrate_incoming rdma:$IP_B:$port" >/dev/null
	wait_for 20 serving "$port" || fail "the new machine does not listen: $(cat /tmp/to.log)"
	monitor from "migrate -d rdma:$IP_B:$port" >/dev/null
	wait_for 120 moved || fail "$1: no end: $(monitor from "info migrate")"
	status_is from completed || fail "$1: $(monitor from "info migrate"; cat /tmp/to.log)"
	wait_for 20 runs to || fail "$1: the new machine does not run: $(cat /tmp/to.log)"
	[ $(($(counter a tx_bytes) - before)) -ge $LENGTH ] || fail "$1: that was not over $RD_A"
	for name in from to; do
		monitor $name stop >/dev/null
		monitor $name "pmemsave 0 $MEMORY \"/tmp/$name.memory\"" >/dev/null
	done
	expect "$1: the known data" cmp -i 0:$AT -n $LENGTH /tmp/known /tmp/to.memory
	# Omit the first MiB, which contains the firmware's clock. The clock continues after the
	# migration.
	expect "$1: the memory" cmp -i 1048576 /tmp/from.memory /tmp/to.memory
	rm /tmp/*.memory
	for name in from to; do
		monitor $name quit >/dev/null || :
	done
	wait "${MACHINES[@]}" || :
	MACHINES=()
}

move "memory is registered when it is sent"
move "all memory is registered first" rdma-pin-all
user_clean
