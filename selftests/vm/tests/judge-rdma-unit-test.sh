# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the unit and traffic tests of google/rdma-unit-test. All QPs of a test are on one device, and
# connect by number. One process runs the tests of one class. If a test crashes or hangs, another
# process runs the remaining tests of the class.
# topology: one
# kernels: all
# group: judges
# disk: programs
# timeout: 3000
# shellcheck shell=bash

# The tests use a path MTU of 4096 octets and send to their own interface, so only the MTU of this
# interface matters.
ip link set "$DEV_A" mtu 9000
judge_up rdma-unit-test
[ "$(xt_type)" != xiw ] ||
	configure connect-by-number=on send-with-immediate=on startup-time=2s
INDEX=$(gid_index "$RD_A" "$IP_A")
PROGRAM=/tmp/rdma-unit-test
cp /lab/in/rdma-unit-test/rdma-unit-test $PROGRAM
LOG=/tmp/suite.log

# A failing test may crash. Do not let the kernel log the crash.
sysctl -qw debug.exception-trace=0 2>/dev/null || :

# LONG: pattern of omitted tests, each of which takes minutes in User-Mode Linux. These tests run
# 10^4 operations or more, use 100 QPs or more, mix operations, use UD, or create as many objects as
# the device allows.
LONG='[0-9]{5,}Ops|[0-9]{3,}Qps|/(Mixed|Multiplexed|Ud|Qp)[A-Za-z]*Test\.'
LONG+='|Max(CqMixed|M[rw]|Pd|Qp|Srq)$|QpIdRollover'

# tests: prints the names of all tests that LONG does not match, one on each line
tests()
{
	$PROGRAM --gtest_list_tests |
		awk '/^[^ ].*\.( |$)/ { suite = $1 } /^  / { print suite $1 }' | grep -vE "$LONG"
}

# results: prints one line for each test in the log: name, verdict and text, separated by tabs. If a
# test has failed, the text is the message of its first failure, which ends at an empty line. A test
# that has not ended has the verdict "none".
results()
{
	awk '
		function flush(verdict) {
			gsub(/[ \t]+/, " ", why); sub(/^\/[^ ]*\//, "", why)
			print name "\t" verdict "\t" why
			name = ""
		}
		/^\[ RUN      \] / { name = $4; why = ""; part = 0; next }
		!name { next }
		/^\[       OK \] / { why = ""; flush("ok"); next }
		/^\[  SKIPPED \] / { flush("skip"); next }
		/^\[  FAILED  \] / { flush("fail"); next }
		part == 0 && (/: (Failure|Skipped)$/ || /^F[0-9]+ /) { part = 1 }
		part == 1 && $0 == "" { part = 2 }
		part == 1 { sub(/^F[0-9]+ +[0-9:.]+ +[0-9]+ /, ""); why = why $0 " " }
		END { if (name) flush("none") }' $LOG
}

ended() { ! kill -0 $PID 2>/dev/null; }
moved() { ended || [ "$(stat -c %s $LOG)" != "$SIZE" ]; }

# batch TEST...: runs TESTs until one crashes, or writes nothing for 20 s; sets STATUS to the exit
# status of the process
batch()
{
	local filter
	filter=$(IFS=:; echo "$*")
	STATUS=0
	$PROGRAM --device_name="$RD_A" --gid_index="$INDEX" --ipv4_only \
		--completion_wait_multiplier="$PATIENCE" --other_wait_multiplier="$PATIENCE" \
		--gtest_filter="$filter" >$LOG 2>&1 </dev/null &
	PID=$!
	until ended; do
		SIZE=$(stat -c %s $LOG)
		wait_for 20 moved >/dev/null || kill -9 $PID
	done
	wait $PID 2>/dev/null || STATUS=$?
}

# suite TEST...: runs TESTs, which are all tests of one class, and records their verdicts
suite()
{
	local left=("$@") test verdict why
	while [ ${#left[@]} -gt 0 ]; do
		batch "${left[@]}"
		cat $LOG >>"$OUT-log.txt"
		while IFS=$'\t' read -r test verdict why; do
			if [ "$verdict" = none ]; then
				verdict=fail why="status $STATUS: $why"
				[ $STATUS -ne 137 ] || why="no end"
			fi
			judged "$test" "$verdict" "$why"
			left=("${left[@]:1}")
		done < <(results)
		[ -s $LOG ] && grep -q '^\[ RUN ' $LOG || fail "${left[0]}: status $STATUS"
	done
}

tests >/tmp/tests
while read -r name; do
	mapfile -t members < <(grep "^$name\." /tmp/tests)
	suite "${members[@]}"
done < <(sed 's/\..*//' /tmp/tests | uniq)
judge_end 400
