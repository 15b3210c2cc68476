# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Run one test: set up the topology, run the test with a time limit, remove the topology, and check
# the kernel log.
# shellcheck shell=bash

# log_mark TEXT: writes a line with TEXT to the kernel log
log_mark() { echo "<6>lab: $*" >/dev/kmsg; }

# log_since TEXT: prints the kernel log after the last line that log_mark TEXT wrote. If this guest
# has booted again since, prints the whole log. If the line has left the ring buffer of the kernel,
# prints a splat instead.
log_since()
{
	dmesg | awk -v mark="lab: $1" '
		NR <= 5 && /Linux version / { whole = 1 }
		index($0, mark) { whole = 1; n = 0; next }
		{ line[++n] = $0 }
		END {
			if (!whole) print "BUG: the kernel log has lost the mark \"" mark "\""
			for (i = 1; whole && i <= n; i++) print line[i]
		}'
}

# log_splat TEXT: prints the first splat after the line that log_mark TEXT wrote, if any
log_splat()
{
	log_since "$1" | splats | sed -n 1p
}

# limited SECONDS LOG CMD...: runs CMD with its output in LOG, and returns its status, or 124 after
# SECONDS. CMD runs in a session of its own, so that the function can kill all its processes at the
# end. At the time limit, the function adds the stacks of blocked tasks and the RDMA objects to LOG.
limited()
{
	local limit=$1 log=$2 fifo=/run/limited.$BASHPID rc pid fd
	shift 2
	mkfifo "$fifo"
	exec {fd}<>"$fifo"
	rm "$fifo"
	setsid bash -c '"${@:2}" >"$1" 2>&1 </dev/null; echo $? >&'"$fd" - "$log" "$@" &
	pid=$!
	disown
	if ! read -r -t "$limit" -u "$fd" rc; then
		rc=124
		log_mark "stacks at the time limit"
		echo w >/proc/sysrq-trigger
		{
			echo "--- stacks at the time limit"
			log_since "stacks at the time limit"
			echo "--- RDMA objects at the time limit"
			/run/guest/call rdma_state
		} >>"$log" 2>&1
	fi
	kill -9 -- "-$pid" 2>/dev/null
	exec {fd}>&-
	return "$rc"
}

# stray PID: succeeds if the process PID has not ended and is no kernel thread (PF_KTHREAD). Sets
# STAT to the fields of /proc/PID/stat, from the state on. The command line is not a criterion,
# because a process that is ending has no command line, but may have open files. The function starts
# no process, because emulation is slow.
stray()
{
	local line
	{ read -r line <"/proc/$1/stat"; } 2>/dev/null || return
	read -r -a STAT <<<"${line##*) }"
	[[ ${STAT[0]} != [ZX] ]] && [ $((STAT[6] & 0x200000)) -eq 0 ]
}
stray_gone() { ! stray "$1"; }

# strays_kill: kills every process except this shell, its ancestors and the agent. Waits until the
# processes have ended, because an open file keeps a module loaded.
strays_kill()
{
	local dir pid=$BASHPID line keep=" 1 " killed=()
	[ ! -e /run/agent ] || keep+="$(</run/agent) "
	while [ "$pid" -gt 1 ]; do
		keep+="$pid "
		read -r line <"/proc/$pid/stat"
		read -r _ pid _ <<<"${line##*) }"
	done
	for dir in /proc/[0-9]*; do
		pid=${dir#/proc/}
		if [[ $keep == *" $pid "* ]] || ! stray "$pid"; then continue; fi
		kill -9 "$pid" 2>/dev/null
		killed+=("$pid")
	done
	for pid in "${killed[@]}"; do
		wait_for 10 stray_gone "$pid"
	done
}

# test_file FILE: runs the test FILE in this shell. If a command fails and the test does not handle
# this, prints the line and the command, and ends the test.
test_file()
{
	set -Eeuo pipefail
	trap '[ "$BASH_SUBSHELL" -gt 0 ] || say "fail: line $LINENO: $BASH_COMMAND"' ERR
	# shellcheck source=/dev/null
	. "$1"
}

# run_test NAME TOPOLOGY SECONDS: runs the test NAME in TOPOLOGY with the time limit SECONDS, and
# reports its result. Returns 1 if objects of the test remain, or if guest b does not boot again
# after an earlier test. No further test can run then.
run_test()
{
	local name=$1 topology=$2 limit=$3 mark="test $1 $2" rc=0 why='' start splat
	local log=/lab/out/$1-$2.log left
	export TOPOLOGY=$topology OUT=/lab/out/$1-$2
	mkdir -p "$OUT"
	[ ! -e /run/b.gone ] || b_again || return
	report "run $name $topology"
	start=$(uptime)
	if ! { log_mark "$mark" && { [ "$topology" != pair ] || on_b log_mark "$mark"; }; }; then
		rc=1 why="no mark in the kernel log"
	elif ! limited $((60 * PATIENCE)) "$log" /run/guest/call topology_up; then
		rc=1 why="topology $topology did not come up"
	else
		limited "$limit" "$log" /run/guest/call test_file "/lab/in/tests/$name.sh" || rc=$?
		case $rc in
		0) ;;
		77) why=$(tail -n 1 "$log") ;;
		124) why="no end within $limit s" ;;
		*) why=$(grep -a '^fail: ' "$log" | tail -n 1)
			why="${why:-exit status} ($rc)" why=${why#fail: } ;;
		esac
	fi
	strays_kill
	if ! limited $((60 * PATIENCE)) "$log.down" /run/guest/call topology_down; then
		left=$(grep -aE -m 1 ' (stays loaded|did not answer)$' "$log.down" ||
			tail -n 1 "$log.down")
		cat "$log.down" >>"$log"
	fi
	rm -f "$log.down"
	rmdir "$OUT" 2>/dev/null
	log_since "$mark" >"/lab/out/$name-$topology.kernel"
	splat=$(log_splat "$mark")
	if [ "$topology" = pair ] && [ ! -e /run/b.gone ]; then
		if on_b log_since "$mark" >"/lab/out/$name-$topology.kernel-b"; then
			splat=${splat:-$(on_b log_splat "$mark")}
		else
			left=${left:-guest b did not print its kernel log}
		fi
	fi
	why=${why//$'\n'/ }
	if [ -n "$splat" ]; then
		report "not $(since "$start") kernel: $splat${why:+; $why}"
	elif [ "$rc" -ne 0 ] && [ "$rc" -ne 77 ]; then
		report "not $(since "$start") $why${left:+; then: $left}"
	elif [ -n "${left-}" ]; then
		report "not $(since "$start") left behind: $left"
	elif [ "$rc" -eq 77 ]; then
		report "skip $(since "$start") ${why#skip: }"
	else
		report "ok $(since "$start")"
	fi
	[ -z "${left-}" ]	# an object that remains would affect the next test
}

# since START: prints the seconds since START, a value of uptime
since() { awk -v a="$1" '{ printf "%.1f", $1 - a }' /proc/uptime; }
