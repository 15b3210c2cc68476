# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Intervals between marks, in which a QEMU plugin counts instructions (lab run --profile) or stores
# to shared cache lines (lab run --sharing).
# shellcheck shell=bash

MARKS=0

# profiled OPERATIONS NAME: records that the interval between the last two marks has the name NAME.
# OPERATIONS is the number of operations in this interval, or "-" if the plugin counts them.
profiled()
{
	MARKS=$((MARKS + 2))
	say "$2: $1 operations"
	dd if=/proc/kallsyms "of=/tmp/kallsyms" bs=1M status=none
	dd if=/tmp/kallsyms "of=$OUT/kallsyms.$((MARKS - 1))" bs=4M status=none
	echo "$((MARKS - 1)) $1 $2" >>"$OUT/marks"
}
