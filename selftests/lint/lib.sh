# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions that the lint steps share.
# shellcheck shell=bash

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034
LAB=$TOP/selftests/vm/lab
# Arguments of make for a build of the modules. Lint and selftests/guests both use LINT_FLAGS, so
# that they share the objects. SPARSE_FLAGS do not change the objects; with C=2, sparse also reads
# the sources of objects that are up to date.
# shellcheck disable=SC2034
LINT_FLAGS=(W=1) SPARSE_FLAGS=(C=2 CF=-D__CHECK_ENDIAN__)
cd "$TOP" || exit 1

if ! git -c safe.directory="$TOP" rev-parse --git-dir > /dev/null 2>&1; then
	echo "needs git and a git checkout"
	exit 1
fi

# files PATTERN...: prints the paths of the project's files that match the git pathspecs PATTERN.
# Files that git does not track are included, unless git ignores them.
files() {
	git -c safe.directory="$TOP" ls-files -co --exclude-standard -- "$@" | while read -r f; do
		if [ -f "$f" ]; then echo "$f"; fi
	done
}

# written PATTERN...: like files, but omits generated files
written() {
	files "$@" | grep -v -e '/generated\.[ch]$' -e '^uapi/linux/' || :
}

# tool COMMAND...: runs COMMAND on the host if XIW_LINT_HOST is set and the host has the program,
# otherwise in the build root. Returns the status of COMMAND.
tool() {
	if [ -n "${XIW_LINT_HOST:-}" ] && command -v "$1" > /dev/null; then
		"$@"
	else
		"$LAB" in check "$@"
	fi
}

# python ARGUMENT...: runs Python without writing bytecode into the tree, and returns its status
python() { tool python3 -B "$@"; }

# known STEP: prints the path of a list in the lab's cache. The list contains the keys of files in
# which the lint step STEP has found no error. A key is a hash of everything on which the result
# depends. The step "shell" has one key for all scripts.
known() { echo "${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/xiw/$1"; }

# known_add STEP FILE: inserts the keys in FILE at the start of the list of STEP. The list keeps
# only the newest 10,000 keys. All branches of the project on one machine share the list.
known_add() {
	local list
	list=$(known "$1")
	[ -s "$2" ] && mkdir -p "${list%/*}" 2> /dev/null || return 0
	{ cat "$2"; grep -vxFf "$2" "$list" 2> /dev/null || :; } | head -n 10000 > "$list.$$"
	mv "$list.$$" "$list"
}
