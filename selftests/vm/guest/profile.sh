# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Intervals between marks, which a plugin of QEMU counts (lab run --profile, lab run --sharing).
# shellcheck shell=bash

MARKS=0

# profiled OPERATIONS NAME: records that the interval between the last two marks has the name NAME,
# and contains this number of operations; "-" if the plugin counts the operations
profiled()
{
	MARKS=$((MARKS + 2))
	say "$2: $1 operations"
	dd if=/proc/kallsyms "of=/tmp/kallsyms" bs=1M status=none
	dd if=/tmp/kallsyms "of=$OUT/kallsyms.$((MARKS - 1))" bs=4M status=none
	echo "$((MARKS - 1)) $1 $2" >>"$OUT/marks"
}
