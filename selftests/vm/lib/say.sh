# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Print messages, and run commands whose output goes to a log.
# shellcheck shell=bash

# Do not use the user's locale, because it changes the output of programs such as apt and date, and
# also the decimal point of EPOCHREALTIME.
export LC_ALL=C.UTF-8

say() { printf '%s\n' "$*"; }
warn() { printf 'lab: warning: %s\n' "$*" >&2; }
die() { printf 'lab: %s\n' "$*" >&2; exit 1; }

# step TEXT CMD...: runs CMD with its output in a log, and prints TEXT and the time that CMD takes.
# If CMD fails, prints the end of the log and ends the lab.
step()
{
	local text=$1 log t0=$EPOCHREALTIME rc=0
	shift
	mkdir -p "$LAB_LOGS"
	log=$LAB_LOGS/$(tr -cs 'A-Za-z0-9.\n' - <<<"$text").log
	printf 'lab: %s ...\n' "$text" >&2
	# Run CMD in the background. If CMD were on the left of ||, "set -e" would have no effect in
	# it.
	( "$@" ) </dev/null >"$log" 2>&1 &
	wait $! || rc=$?
	if [ "$rc" -ne 0 ]; then
		tail -n 30 "$log" >&2
		die "$text: failed ($log)"
	fi
	printf 'lab: %s: done in %s s\n' "$text" "$(seconds_since "$t0")" >&2
}

# seconds_since START: prints the seconds since START, a value of EPOCHREALTIME, with one decimal
seconds_since()
{
	local us=$(( ${EPOCHREALTIME/./} - ${1/./} ))
	printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10))
}
