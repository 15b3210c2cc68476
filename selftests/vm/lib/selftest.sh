# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# lab selftest: runs tests that are wrong in a known way (faults/), and checks that the lab reports
# each of them. It also checks other functions of the lab, such as the search for the mirror.
# shellcheck shell=bash

# selftest [quick | debug | uml-debug | kcsan]: runs the self-test; succeeds if all checks pass.
# quick: uses User-Mode Linux, and omits tests that need two guests or QEMU. debug, uml-debug,
# kcsan: tests only that this kernel detects planted bugs. debug also checks that the test irqs-off
# detects a driver that turns interrupts off for too long (faults/long.sh).
selftest()
{
	local bad=0 kernel=()
	case ${1-} in
	debug | uml-debug)
		# Run "stale" last: its KASAN report stops lockdep, which "inversion" needs.
		selftest_run -k "$1" leak inversion stale || bad=1
		[ "$1" != debug ] || selftest_run -k debug --icount long || bad=1
		return $bad ;;
	esac
	if [ "${1-}" = kcsan ]; then
		selftest_run -k kcsan race
		return
	fi
	selftest_mirror || bad=1
	selftest_blanks || bad=1
	selftest_lists || bad=1
	selftest_parts || bad=1
	selftest_splats || bad=1
	selftest_marks || bad=1
	selftest_ended || bad=1
	[ "${1-}" != quick ] || kernel=(-k uml-smp)
	selftest_run "${kernel[@]}" status unchecked endless splat unlisted stray again left never ||
		bad=1
	selftest_run "${kernel[@]}" panic after || bad=1
	[ "${1-}" != quick ] || return $bad
	selftest_run --pair last-word alone unheard || bad=1
	selftest_stumble || bad=1
	return $bad
}

# selftest_is NAME WANTED GOT: prints the result of the test NAME, which passes if WANTED and GOT are
# the same text. Returns 1 if the test fails.
selftest_is()
{
	if [ "$3" = "$2" ]; then
		say "ok lab.$1"
	else
		say "not ok lab.$1: '$3' instead of '$2'"
		return 1
	fi
}

# selftest_mirror: checks that the lab finds the mirror and the proxy of a host with four
# properties. Its package lists were never downloaded, its first source is a DVD, its second source
# names a file with mirrors, and its apt detects the proxy by a command.
selftest_mirror()
{
	local dir=$CACHE/tmp/mirror.$$ out
	mkdir -p "$dir"
	printf 'deb %s trixie main\n' "cdrom:[debian 13]/" "mirror+file:$dir/debian.list" \
		>"$dir/sources.list"
	printf '# the first one is used\nhttps://one.example/debian\nhttp://two.example/debian\n' \
		>"$dir/debian.list"
	printf '#!/bin/sh\necho http://proxy.example:3142\n' >"$dir/detect"
	chmod 700 "$dir/detect"
	cat >"$dir/apt.conf" <<-END
	Dir::State "$dir";
	Dir::Etc::SourceList "$dir/sources.list";
	Dir::Etc::SourceParts "/dev/null";
	APT::Sandbox::User "root";
	Acquire::https::Proxy-Auto-Detect "$dir/detect";
	END
	out=$(export APT_CONFIG=$dir/apt.conf MIRROR=; mirror_uris; echo "$MIRROR ${https_proxy-}") || :
	rm -rf "$dir"
	selftest_is mirror 'https://one.example/debian http://proxy.example:3142' "$out"
}

# selftest_blanks: checks that the lab removes old entries, and nothing else, if the path of the
# cache contains a blank
selftest_blanks()
{
	local dir=$CACHE/tmp/blanks.$$ left
	mkdir -p "$dir/jo" "$dir/jo ann/guest-"{1,2}
	(cd "$dir" && entries_prune "$dir/jo ann/guest-*" "$dir/jo ann/guest-2")
	left=$(cd "$dir" && printf '%s,' jo* jo*/*)
	rm -rf "$dir"
	selftest_is blanks 'jo,jo ann,jo ann/guest-2,' "$left"
}

# selftest_lists: checks that two runs do not download the same package lists at the same time, so
# only one of them calls suite_apt
selftest_lists()
{
	local calls
	calls=$(
		CACHE=$CACHE/tmp/lists.$$
		mkdir -p "$CACHE"
		mirror_uris() { MIRROR=http://one.example/debian MIRROR_SECURITY=''; }
		suite_apt()
		{
			local tries
			echo "$*" >>"$CACHE/calls"
			# Wait at most one second for the other run to call suite_apt, too.
			for ((tries = 0; tries < 10; tries++)); do
				[ "$(wc -l <"$CACHE/calls")" -eq 1 ] || break
				read -r -t 0.1 <><(:) || :
			done
		}
		suite_lists trixie 2>/dev/null &
		suite_lists trixie 2>/dev/null &
		wait
		wc -l <"$CACHE/calls"
		rm -rf "$CACHE"
	)
	selftest_is lists 1 "$calls"
}

# selftest_parts: checks that nothing is left of an entry that could not be made
selftest_parts()
{
	local left
	left=$(
		CACHE=$CACHE/tmp/parts.$$
		mkdir -p "$CACHE/tmp"
		part_make() { mkdir "$1" && touch "$1.options" && false; }
		( entry_make "$CACHE/entry" part_make; say "exit status 0" ) &
		wait $! || :
		find "$CACHE" -mindepth 1 ! -path "$CACHE/tmp" -printf '%P '
		rm -rf "$CACHE"
	)
	selftest_is parts '' "$left"
}

# selftest_splats: checks that splats() omits the known warning of the scheduler if only the stopper
# thread was on the CPU, and that splats() prints other splats
selftest_splats()
{
	local log warning='WARNING: CPU: 2 PID: 32 at kernel/sched/core.c:8365 sched_cpu_dying' bad=0
	log="[   94.235752] Dying CPU not properly vacated!
[   94.236282] $warning
[   94.482383] Call Trace:
[   94.920455] CPU2 enqueued tasks (2 total):"
	splats_are "" "$log"$'\n''[   94.942209] 	pid: 32, name: migration/2' || bad=1
	splats_are "$warning" "$log"$'\n''[   94.942209] 	pid: 99, name: planted' || bad=1
	splats_are "$warning" "$log" || bad=1
	splats_are "BUG: planted" "$log"'
[   94.942209] 	pid: 32, name: migration/2
[   95.256108] BUG: planted' || bad=1
	if [ "$bad" = 0 ]; then say "ok lab.splats"; else say "not ok lab.splats"; fi
	return $bad
}

# splats_are WANTED LOG: checks that splats() prints WANTED for the kernel log LOG
splats_are() # WANTED LOG
{
	local out
	out=$(splats <<<"$2")
	[ "$out" = "$1" ] || { say "splats: '$out' instead of '$1'"; return 1; }
}

# selftest_marks: checks what log_since() prints: normally, the kernel log after the mark of the
# test; the whole log if the guest has booted again; a splat if the mark has left the ring buffer
selftest_marks()
{
	local boot='[    0.000000] Linux version 6.12' mark='[    9.000000] lab: test x one' bad=0
	log_since_is 'later' "$boot"$'\n'"$mark"$'\nearlier\n'"$mark"$'\nlater' || bad=1
	log_since_is "$boot"$'\nlater' "$boot"$'\nlater' || bad=1
	log_since_is 'BUG: the kernel log has lost the mark "lab: test x one"' later || bad=1
	if [ "$bad" = 0 ]; then say "ok lab.marks"; else say "not ok lab.marks"; fi
	return $bad
}

# log_since_is WANTED LOG: checks that log_since() prints WANTED for the kernel log LOG, and that
# splats() reports WANTED only if it begins with "BUG: "
log_since_is()
{
	local out splat=''
	# shellcheck source=selftests/vm/guest/run.sh
	out=$(. "$LAB/guest/run.sh"; LOG=$2; dmesg() { say "$LOG"; }; log_since "test x one")
	[[ $1 != BUG:* ]] || splat=$1
	[ "$out" = "$1" ] && [ "$(splats <<<"$out")" = "$splat" ] ||
		{ say "log_since: '$out' instead of '$1'"; return 1; }
}

# selftest_ended: checks that the lab does not fail if a guest ends before the lab reads the guest's
# CPU time
selftest_ended()
{
	local out
	# shellcheck disable=SC2016 # the other shell expands it
	out=$(bash -euo pipefail -c '. "$0"; PIDS=(none) UML_CPU="7 9"; uml_cpu; echo "$UML_CPU"' \
		"$LAB/lib/uml.sh") || :
	selftest_is ended '7 9' "$out"
}

# selftest_stumble: makes QEMU fail in a boot. Checks that the lab reports this and boots again, but
# gives up after three boots.
selftest_stumble()
{
	local out bad=0
	out=$(LAB_STUMBLE=a:1 "$LAB/lab" run smoke:one 2>&1) &&
		grep -q '^lab: QEMU broke' <<<"$out" || bad=1
	! out+=$(LAB_STUMBLE=a:3 "$LAB/lab" run smoke:one 2>&1) || bad=1
	grep -q '^not ok smoke.one.: not run, guest died' <<<"$out" || bad=1
	if [ "$bad" = 0 ]; then say "ok lab.stumble"; else say "$out" "not ok lab.stumble"; fi
	return $bad
}

# selftest_run: calls lab run with the options and with the test of each FAULT, which is in the
# folder faults. Checks that lab run fails. For each test, lab run must print a line whose beginning
# matches the regular expression in the test's header field "result".
selftest_run() # [-k KERNEL] [--pair] FAULT...
{
	local name out paths=() want bad=0 options=()
	while [[ $1 == -* ]]; do
		options+=("$1")
		if [ "$1" = -k ]; then
			options+=("$2")
			shift
		fi
		shift
	done
	for name in "$@"; do
		paths+=("$LAB/faults/$name.sh")
	done
	out=$("$LAB/lab" run "${options[@]}" "${paths[@]}" 2>&1) && { say "$out"; say "not ok lab: failed nothing"; return 1; }
	for name in "$@"; do
		want=$(test_header "$LAB/faults/$name.sh" result)
		if grep -q "^$want" <<<"$out"; then
			say "ok lab.$name"
		else
			say "not ok lab.$name: no line '$want'"
			bad=1
		fi
	done
	[ "$bad" -eq 0 ] || say "$out"
	return $bad
}
