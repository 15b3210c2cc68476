# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Suites of other projects, which run on xiw, siw and rxe (XIW_TEST_TYPE). A test of this kind
# records one verdict for each case of its suite. selftests/judges/table compares the three devices
# and knows the reasons.
# shellcheck shell=bash

# judge_begin SUITE: starts an empty list of verdicts
judge_begin()
{
	SUITE=$1 VERDICTS=$OUT-verdicts.tsv
	: >"$VERDICTS"
	[ "$(xt_type)" != xiw ] || user_provider
}

# judge_up SUITE: the same, and creates devices of the tested type
judge_up()
{
	judge_begin "$1"
	expect "devices" rdma_up "$(xt_type)"
}

# judge_modprobe: lets modprobe find the driver, for suites that load it by its name. The guest's
# modules are read-only, so copies replace them for this boot.
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

# judged CASE ok|fail|skip [WHY]: records a verdict
judged()
{
	local why
	why=$(tr '\t\n' '  ' <<<"${3-}" | cut -c 1-160)
	printf '%s\t%s\t%s\t%s\t%s\n' "$SUITE" "$(xt_type)" "$1" "$2" "${why%% }" | tee -a "$VERDICTS"
}

# judge CASE SECONDS CMD...: runs a case, which passes if CMD succeeds within SECONDS. JUDGE_SKIP:
# status by which CMD reports that it was skipped
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

# judge_pair CASE READY SERVER CLIENT: runs two command lines, given as text. The case passes if
# both succeed. READY is a command that succeeds when the server listens
judge_pair()
{
	judge_try "${@:2}"
	judge_tried "$1"
}

# judge_try READY SERVER CLIENT: the same without a verdict; sets WHY, which is empty if both succeed
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

# judge_tried CASE: records the verdict of judge_try
judge_tried() { if [ "$WHY" ]; then judged "$1" fail "$WHY"; else judged "$1" ok; fi; }

# judge_line LOG: prints the last line of LOG that has a letter, if any
judge_line() { grep '[[:alpha:]]' "$1" | tail -n 1 || :; }

# gid_index DEVICE ADDRESS: prints the index of the GID of an IPv4 address. siw has only one GID, of
# index 0; on other devices, the function waits for the GID
gid_index()
{
	[ "$(xt_type)" != siw ] || { echo 0; return; }
	wait_for 10 gid_of "$1" "$2" >&2 || fail "no GID of $2" >&2
	basename "$(gid_of "$1" "$2")"
}
gid_of() { grep -lx "$(mapped "$2")" "/sys/class/infiniband/$1/ports/1/gids/"*; }

# judge_end LEAST: checks that the suite has recorded at least LEAST verdicts and, if judge_up has
# created devices of xiw, that the suite has left nothing there
judge_end()
{
	[ "$(wc -l <"$VERDICTS")" -ge "$1" ] || fail "only $(wc -l <"$VERDICTS") verdicts"
	[ "${RD_A-}" != xiwa ] || user_clean
}
