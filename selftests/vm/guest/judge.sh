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
	local server rc=0 why=''
	# shellcheck disable=SC2086
	within 20 $3 >/tmp/judge.server 2>&1 &
	server=$!
	if wait_for 4 eval "$2"; then
		# shellcheck disable=SC2086
		within 10 $4 >/tmp/judge.log 2>&1 || rc=$?
		[ $rc -eq 0 ] || why="client: status $rc: $(judge_line /tmp/judge.log)"
	else
		rc=1 why="server: $(judge_line /tmp/judge.server)"
	fi
	if [ $rc -eq 0 ]; then
		wait $server || { rc=$?; why="server: status $rc: $(judge_line /tmp/judge.server)"; }
	else
		pkill -P $server || :
		wait $server || :
	fi
	if [ $rc -eq 0 ]; then judged "$1" ok; else judged "$1" fail "$why"; fi
}

# judge_line LOG: prints the last line with a text, if there is one
judge_line() { grep '[[:alpha:]]' "$1" | tail -n 1 || :; }

# gid_index DEVICE ADDRESS: prints the index of the GID of an IPv4 address, or 0
gid_index()
{
	local a b c d index
	IFS=. read -r a b c d <<<"$2"
	index=$(grep -l "$(printf ':ffff:%02x%02x:%02x%02x$' "$a" "$b" "$c" "$d")" \
		"/sys/class/infiniband/$1/ports/1/gids/"* 2>/dev/null | head -n 1)
	index=${index##*/}
	printf '%s' "${index:-0}"
}

# judge_end LEAST: checks that the suite has recorded at least LEAST verdicts and, if judge_up has
# created devices of xiw, that the suite has left nothing there
judge_end()
{
	[ "$(wc -l <"$VERDICTS")" -ge "$1" ] || fail "only $(wc -l <"$VERDICTS") verdicts"
	[ "${RD_A-}" != xiwa ] || user_clean
}
