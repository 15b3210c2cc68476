# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Lines that must never appear in a kernel log, with one exception (see splats).
# shellcheck shell=bash disable=SC2034

SPLAT='BUG:|Oops|WARNING:|KASAN|general protection|possible circular'
SPLAT+='|inconsistent lock|suspicious RCU|refcount_t|UBSAN|blocked for more than'
SPLAT+='|soft lockup|rcu.*stall|Call Trace|unregister_netdevice: waiting|NOHZ tick-stop'

# splats: reads a kernel log from stdin, and prints the lines that must not appear, without their
# timestamps.
#
# The scheduler of Linux 6.12 sometimes counts one task too many on a CPU that goes offline. It
# warns ("Dying CPU not properly vacated!"), and then lists the tasks of the CPU. The list always
# contains the stopper thread. If it contains no other task, such as a thread of a driver, nothing
# was left on the CPU, and splats() omits the warning.
splats()
{
	sed 's/^\[[^]]*\] *//' | awk -v bad="$SPLAT" '
		/^Dying CPU not properly vacated!/ { dying = 3 }
		dying == 3 && /^WARNING: .* sched_cpu_dying/ { warning = $0; dying = 2; next }
		dying == 2 && /^Call Trace:/ { dying = 1; next }
		dying == 1 && /pid: [0-9]+, name: / {
			if ($0 ~ /name: migration\//) listed = 1
			else others = 1
		}
		$0 ~ bad { print }
		END { if (warning && (others || !listed)) print warning }'
}
