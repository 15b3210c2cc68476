# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# For the scripts that build packages, set the version and SOURCES. SOURCES contains the parts of
# the tree that sources_copy() copies.
# shellcheck shell=bash

TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=selftests/vm/lib/say.sh
. "$TREE/selftests/vm/lib/say.sh"
# shellcheck source=selftests/vm/lib/build.sh
. "$TREE/selftests/vm/lib/build.sh"

# shellcheck disable=SC2034 # sources_copy of build.sh reads it
SOURCES=(VERSION COPYING LICENSES README.md CHANGELOG.md SECURITY.md docs driver uapi utils
	selftests)
# shellcheck disable=SC2034
version=$(cat "$TREE/VERSION")

# output_clear OUT: removes the output of an earlier run, the folder OUT, if OUT is below build/ of
# the tree. Elsewhere, the files in OUT may belong to the user, so ends the script if OUT is not an
# empty folder.
output_clear()
{
	case $1 in
	"$(realpath -m "$TREE/build")"/?*) rm -rf "$1" ;;
	*) [ ! -e "$1" ] || rmdir "$1" || die "remove $1, or name another folder" ;;
	esac
}
