# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The lab's cache. Each entry is a file or a folder. The lab makes an entry in the cache's tmp
# folder and then renames the entry, so that no process sees an incomplete entry. Each entry has a
# stamp, by which the lab detects damage.
# shellcheck shell=bash

# cache_open: sets CACHE to the folder of the cache, and creates it. From now on, ^C also ends the
# commands of step() and entry_make(). These commands run in the background and ignore SIGINT, so
# the shell sends SIGTERM to them.
cache_open()
{
	trap 'trap "" TERM; kill 0; exit 130' INT
	CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/xiw
	if ! mkdir -p "$CACHE/tmp" 2>/dev/null || ! [ -w "$CACHE/tmp" ]; then
		warn "$CACHE cannot be written, using build/cache"
		CACHE=$TREE/build/cache
		mkdir -p "$CACHE/tmp"
	fi
	# Remove entries that are at least two days old: runs that were killed have left them. Use
	# the ctime, because tar and cp set the mtime of an entry that another run is making now.
	find "$CACHE/tmp" -mindepth 1 -maxdepth 1 -ctime +1 \
		-exec rm -rf --one-file-system {} + 2>/dev/null || :
}

# with_lock NAME CMD...: holds the lock NAME while it runs CMD. Only one process of this machine
# holds the lock at a time; other processes wait. Do not call with_lock in a condition, because the
# shell would ignore errors inside CMD.
with_lock()
{
	local fd name=$1
	shift
	exec {fd}>"$CACHE/$name.lock"
	if ! flock -n "$fd"; then
		printf 'lab: waiting for another run (%s)\n' "$name" >&2
		flock "$fd"
	fi
	"$@"
	exec {fd}>&-
}

# key WORD...: prints a short hash of the WORDs
key() { printf '%s\n' "$@" | sha256sum | cut -c1-12; }

# fingerprint PATH: prints the hash for the stamp of the entry PATH. The hash covers the contents of
# files. For a whole root, it covers only names, sizes, modes and the targets of links. This is
# fast, and detects missing and truncated files.
fingerprint()
{
	if [ -d "$1/usr" ]; then
		find "$1" -xdev \( -path "$1/proc" -o -path "$1/sys" -o -path "$1/dev" \
			-o -path "$1/tmp" -o -path "$1/run" \) -prune -o \
			\( -type d -printf '%P %m\n' -o -printf '%P %s %m %l\n' \) |
			LC_ALL=C sort | sha256sum | cut -d' ' -f1
	else
		find "$1" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | sha256sum | cut -d' ' -f1
	fi
}

# entry_seal PATH: writes the stamp of the entry PATH
entry_seal() { fingerprint "$1" >"$1.stamp.$$" && mv "$1.stamp.$$" "$1.stamp"; }

# entry_whole PATH: succeeds if the entry PATH exists, is complete, and has not changed since it was
# made. An entry is checked at most once in ten minutes, because the check reads the whole entry.
entry_whole()
{
	[ -e "$1" ] && [ -s "$1.stamp" ] || return 1
	[ -z "$(find "$1.stamp" -mmin -10)" ] || return 0
	if [ "$(cat "$1.stamp")" = "$(fingerprint "$1")" ]; then
		touch "$1.stamp"
		return
	fi
	warn "$1 is damaged, making it again"
	return 1
}

# entry_make PATH CMD...: makes the entry PATH, unless it is already complete. CMD makes it under a
# temporary path, which CMD gets as its last argument. If CMD fails, removes what CMD has made, and
# exits.
entry_make()
{
	local path=$1 new
	shift
	mkdir -p "$(dirname "$path")"
	entry_whole "$path" && return
	rm -rf "$path" "$path.stamp"
	new=$CACHE/tmp/$(basename "$path").$$
	rm -rf "$new"
	# Run CMD in the background, as in step(). Files next to NEW are temporary files of CMD.
	( "$@" "$new" ) &
	wait $! || { rm -rf --one-file-system "$new" "$new".*; exit 1; }
	mv "$new" "$path"
	entry_seal "$path"
}

# entries_prune PATTERN KEEP: removes the entries whose paths match the glob PATTERN, except the
# entry KEEP
entries_prune()
{
	local path IFS=	# the path of the cache may contain blanks
	for path in $1; do
		case $path in
		"$2" | "$2".* | *.stamp) ;;
		*) [ ! -e "$path" ] || rm -rf "$path" "$path.stamp" ;;
		esac
	done
}
