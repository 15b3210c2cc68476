# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions that the lint steps share.
# shellcheck shell=bash

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034
LAB=$TOP/selftests/vm/lab
# Flags of a module build. They are the same for lint and guests, so that objects are shared. sparse
# does not change the objects. C=2: it also reads the sources of objects that exist.
# shellcheck disable=SC2034
LINT_FLAGS=(W=1) SPARSE_FLAGS=(C=2 CF=-D__CHECK_ENDIAN__)
cd "$TOP" || exit 1

if ! git -c safe.directory="$TOP" rev-parse --git-dir > /dev/null 2>&1; then
	echo "needs git and a git checkout"
	exit 77
fi

# files PATTERN...: prints the project's files by git pathspec, tracked or not yet
files() {
	git -c safe.directory="$TOP" ls-files -co --exclude-standard -- "$@" | while read -r f; do
		if [ -f "$f" ]; then echo "$f"; fi
	done
}

# written PATTERN...: like files, but without generated files
written() {
	files "$@" | grep -v -e '/generated\.[ch]$' -e '^uapi/linux/' || :
}

# tool COMMAND...: runs a command of the build root or, with XIW_LINT_HOST, of the host if it has it
tool() {
	if [ -n "${XIW_LINT_HOST:-}" ] && command -v "$1" > /dev/null; then
		"$@"
	else
		"$LAB" in check "$@"
	fi
}

# python ARGUMENT...: runs Python, which writes no bytecode into the tree
python() { tool python3 -B "$@"; }

# known STEP: prints the path of the list of a step's keys of clean files. A key is a hash of all
# that the verdict depends on. The lists are in the lab's cache.
known() { echo "${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/xiw/$1"; }

# known_add STEP FILE: adds the keys of FILE to the list, in front. Branches alternate on a machine,
# so the keys of other branches stay, up to a limit.
known_add() {
	local list
	list=$(known "$1")
	[ -s "$2" ] && mkdir -p "${list%/*}" 2> /dev/null || return 0
	{ cat "$2"; grep -vxFf "$2" "$list" 2> /dev/null || :; } | head -n 10000 > "$list.$$"
	mv "$list.$$" "$list"
}
