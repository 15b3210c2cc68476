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
