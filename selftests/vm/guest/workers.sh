# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Workers are functions of a test that run in parallel for a given time, and count their operations.
# The tests stress and soak use them to find errors that occur only under load.
# shellcheck shell=bash

WORKERS_END=0		# EPOCHSECONDS at which the workers stop
WORKERS=/tmp/workers	# NAME.log and NAME.counts of each worker
declare -A WORKER_PIDS=() WORKER_COUNTS=()

# workers_for SECONDS: removes earlier results, and lets workers run for SECONDS from now
workers_for()
{
	rm -rf "$WORKERS"
	mkdir -p "$WORKERS"
	WORKERS_END=$((EPOCHSECONDS + $1))
}

# working: succeeds until the time of the workers is over
working() { [ "$EPOCHSECONDS" -lt "$WORKERS_END" ]; }

# pause [SECONDS]: sleeps for a random time that is less than SECONDS (default 1)
pause() { read -r -t "$((RANDOM % ${1:-1})).$((RANDOM % 10))" <><(:) || :; }

# any WORD...: prints one of the words, at random
any() { printf '%s' "${@:RANDOM % $# + 1:1}"; }

# counted WHAT [N]: adds N (default 1) to the calling worker's count of WHAT
counted() { WORKER_COUNTS[$1]=$((${WORKER_COUNTS[$1]-0} + ${2-1})); }

# worker NAME CMD...: runs the function CMD in the background, in a shell of its own. In this shell,
# a command that fails does not end CMD. The output goes to a file in memory, because the lab's
# shared folder may stall.
worker()
{
	(
		set +eE
		trap - ERR
		local name=$1 what
		shift
		"$@" >"$WORKERS/$name.log" 2>&1
		for what in "${!WORKER_COUNTS[@]}"; do
			printf '%s %s\n' "${WORKER_COUNTS[$what]}" "$what"
		done >"$WORKERS/$name.counts"
	) &
	WORKER_PIDS[$1]=$!
}

# worker_over NAME: succeeds if the worker NAME has ended
worker_over() { [ -e "$WORKERS/$1.counts" ]; }

# workers_end SECONDS: waits for the end of the workers' time, and fails the test if a worker does
# not end within SECONDS afterwards
workers_end()
{
	local name
	while working; do read -r -t 1 <><(:) || :; done
	for name in "${!WORKER_PIDS[@]}"; do
		wait_for "$1" worker_over "$name" || {
			tail -n 20 "$WORKERS/$name.log"
			fail "the worker $name does not end"
		}
		wait "${WORKER_PIDS[$name]}" || :
	done
	WORKER_PIDS=()
}

# workers_count WHAT: prints the sum of the counts of WHAT over all workers
workers_count()
{
	cat "$WORKERS"/*.counts | awk -v what="$1" '{ n = $1; sub(/^[0-9]+ /, "") }
		$0 == what { sum += n } END { print sum + 0 }'
}

# workers_table: prints a table with the sum of each count over all workers
workers_table()
{
	cat "$WORKERS"/*.counts | awk '{ n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n }
		END { for (what in sum) printf "%8d  %s\n", sum[what], what }' | sort -k2
}
