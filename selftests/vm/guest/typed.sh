# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Type the lines of the docs, as a reader would.
# shellcheck shell=bash

# lines FILE SECTION START: prints the first block of code after the line that begins with START, in
# the section SECTION of docs/FILE
lines()
{
	awk -v section="## $2" -v start="$3" '
		/^## / { here = $0 == section; found = 0 }
		here && index($0, start) == 1 { found = 1 }
		found && /^    / { print substr($0, 5); block = 1 }
		block && !/^    / { exit }' "/lab/in/docs/$1"
}

# typed SIDE FILE SECTION START [NAME=VALUE...]: on SIDE, runs the lines that lines() prints, like
# a root user who types them. Like a reader, the function replaces the address and the disk of the
# docs, and sets the variables NAME. The guest cannot reach a mirror. So the function replaces
# apt-get by a check that the guest has the packages.
typed()
{
	local side=$1 text
	text=$(lines "$2" "$3" "$4")
	[ "$text" ] || fail "no lines after '$4' in '$3' of $2"
	text=${text//10.0.0.1/$IP_B}
	text=${text//\/dev\/vdb/${DISK-}}
	say "$text"
	ON_TIMEOUT=400 expect "$3, $side" on_"$side" env "${@:5}" bash -ec '
		apt-get() { dpkg -s "${@:2}" >/dev/null; }
		set -u
		eval "$1"' - "$text"
}
