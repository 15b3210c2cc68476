# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs rdma-core's own tests with its own runner, as Debian ships both. The tests connect QPs by
# number. Each module of tests runs in a process of its own, so a test that hangs ends only the
# tests of its module. A module that fails before its first test counts as a failed case.
# topology: one
# kernels: all
# group: judges
# disk: programs
# timeout: 1500
# shellcheck shell=bash

judge_up rdma-core
[ "$(xt_type)" != xiw ] || configure connect-by-number=on send-with-immediate=on
INDEX=$(gid_index "$RD_B" "$IP_B")
TESTS=/tmp/rdma-core/tests
mkdir -p /tmp/rdma-core
cp -r /usr/share/doc/rdma-core/tests $TESTS
gunzip $TESTS/*.gz

# result CASE: prints the result of CASE from /tmp/module.log, such as "... ok". In the log, a
# description and output of the case may stand between its name and its result.
result()
{
	awk -v name="(tests.$1)" '
		/^test_/ { mine = index($0, name) > 0 }
		mine && match($0, /\.\.\. (ok|skipped .*|FAIL|ERROR)/) {
			print substr($0, RSTART, RLENGTH); exit }
		mine && /^(ok|FAIL|ERROR|skipped .*)$/ { print "... " $0; exit }' /tmp/module.log
}

# why CASE: prints the error message of CASE, which has failed
why()
{
	awk -v name="(tests.$1)" '
		/^(FAIL|ERROR): / { mine = index($0, name) > 0 }
		mine && /^[A-Za-z_.]+(Error|Exception|Fail)[A-Za-z]*: / { print }' /tmp/module.log | head -n 1
}

# Omit modules for the hardware of one vendor, because they skip all their tests on other devices.
for file in "$TESTS"/test_*.py; do
	name=$(basename "$file" .py)
	case $name in test_mlx5* | test_efa* | test_hns* | test_mana*) continue ;; esac
	rc=0
	within 120 python3 $TESTS/run_tests.py -v --dev "$RD_B" --gid "$INDEX" "tests.$name" \
		>/tmp/module.log 2>&1 || rc=$?
	# A case begins with a line "test_a (tests.test_b.C.test_a)".
	sed -nE "s/^(test_[a-z0-9_]+) \(tests\.([A-Za-z0-9_.]+)\).*/\2/p" /tmp/module.log | sort -u \
		>/tmp/begun
	[ "$rc" -eq 0 ] || [ -s /tmp/begun ] ||
		judged "$name" fail "status $rc: $(judge_line /tmp/module.log)"
	while read -r case; do
		line=$(result "$case")
		case $line in
		"... ok") judged "$case" ok ;;
		"... skipped"*) judged "$case" skip "${line#... skipped }" ;;
		"") judged "$case" fail "no end" ;;
		*) judged "$case" fail "$(why "$case")" ;;
		esac
	done </tmp/begun
done
judge_end 60
