# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for tests that run a test suite of another project on xiw, siw or rxe (XIW_TEST_TYPE).
# Such a test records one verdict for each case of the suite. selftests/judges/table compares the
# verdicts of the three device types.
# shellcheck shell=bash

# judge_begin SUITE: starts an empty list of verdicts for SUITE. If xiw is tested, installs the
# provider.
judge_begin()
{
	SUITE=$1 VERDICTS=$OUT-verdicts.tsv
	: >"$VERDICTS"
	[ "$(xt_type)" != xiw ] || user_provider
}

# judge_up SUITE: like judge_begin, but also creates devices of the tested type
judge_up()
{
	judge_begin "$1"
	expect "devices" rdma_up "$(xt_type)"
}

# judge_modprobe: makes modprobe find the driver of the tested type, for suites that load it by its
# name. The guest's modules are read-only. So for this boot, a copy that also contains the driver
# replaces them.
judge_modprobe()
{
	local file dir
	file=/lab/in/modules/$(rdma_module "$(xt_type)").ko
	dir=/lib/modules/$(uname -r)
	[ -e "$file" ] && [ ! -e "$dir/updates" ] || return 0
	mkdir -p /tmp/modules/updates
	cp -a "$dir/." /tmp/modules/ && cp "$file" /tmp/modules/updates/ &&
		mount --bind /tmp/modules "$dir" && depmod -a
}

# judged CASE ok|fail|skip [WHY]: records and prints the verdict of CASE
judged()
{
	local why
	why=$(tr '\t\n' '  ' <<<"${3-}" | cut -c 1-160)
	printf '%s\t%s\t%s\t%s\t%s\n' "$SUITE" "$(xt_type)" "$1" "$2" "${why%% }" | tee -a "$VERDICTS"
}

# judge CASE SECONDS CMD...: runs CMD as CASE, and records the verdict. The case passes if CMD
# succeeds within SECONDS. JUDGE_SKIP is the status that CMD returns for a skipped case.
JUDGE_SKIP=''
judge()
{
	local rc=0
	within "$2" "${@:3}" >/tmp/judge.log 2>&1 || rc=$?
	case $rc in
	0) judged "$1" ok ;;
	"$JUDGE_SKIP") judged "$1" skip "$(judge_line /tmp/judge.log)" ;;
	124 | 137) judged "$1" fail "no end after $2 s" ;;
	*) judged "$1" fail "status $rc: $(judge_line /tmp/judge.log)" ;;
	esac
}

# judge_pair CASE READY SERVER CLIENT: runs the command lines SERVER and CLIENT as CASE, and records
# the verdict. The case passes if both succeed. The command line READY succeeds when the server
# listens.
judge_pair()
{
	judge_try "${@:2}"
	judge_tried "$1"
}

# judge_try READY SERVER CLIENT: runs the command lines like judge_pair, but records no verdict.
# Sets WHY to the reason of a failure; WHY is empty if both command lines succeed.
judge_try()
{
	local server rc=0
	WHY=''
	: >/tmp/judge.log
	# shellcheck disable=SC2086
	within 20 $2 >/tmp/judge.server 2>&1 &
	server=$!
	if ! wait_for 4 eval "$1"; then
		WHY="server: $(judge_line /tmp/judge.server)"
	else
		# shellcheck disable=SC2086
		within 10 $3 >/tmp/judge.log 2>&1 || rc=$?
		[ $rc -eq 0 ] || WHY="client: status $rc: $(judge_line /tmp/judge.log)"
	fi
	[ -z "$WHY" ] || pkill -P $server || :
	rc=0
	wait $server || rc=$?
	[ "$WHY" ] || [ $rc -eq 0 ] || WHY="server: status $rc: $(judge_line /tmp/judge.server)"
}

# judge_tried CASE: records the result of the last judge_try as the verdict of CASE
judge_tried() { if [ "$WHY" ]; then judged "$1" fail "$WHY"; else judged "$1" ok; fi; }

# judge_line LOG: prints the last line of the file LOG that contains a letter, if any
judge_line() { grep '[[:alpha:]]' "$1" | tail -n 1 || :; }

# gid_index DEVICE ADDRESS: prints the index of DEVICE's GID for the IPv4 address ADDRESS. siw has
# only one GID, with index 0. On other devices, the function waits for the GID.
gid_index()
{
	[ "$(xt_type)" != siw ] || { echo 0; return; }
	wait_for 10 gid_of "$1" "$2" >&2 || fail "no GID of $2" >&2
	basename "$(gid_of "$1" "$2")"
}
gid_of() { grep -lx "$(mapped "$2")" "/sys/class/infiniband/$1/ports/1/gids/"*; }

# judge_end LEAST: checks that the suite has recorded at least LEAST verdicts. If judge_up has
# created devices of xiw, also checks that the suite has left no objects on them.
judge_end()
{
	[ "$(wc -l <"$VERDICTS")" -ge "$1" ] || fail "only $(wc -l <"$VERDICTS") verdicts"
	[ "${RD_A-}" != xiwa ] || user_clean
}
