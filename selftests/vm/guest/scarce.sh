# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Make an allocation of the driver fail, on kernels with fault injection, such as the kernel
# "debug". An allocation belongs to the driver if a function of the driver is on its stack, in any
# context.
# shellcheck shell=bash

# While an allocation is armed (scarce_arm), the kernel counts the driver's allocations. The count
# begins at the boot. An allocation fails if its number is a multiple of the interval. A test cannot
# read the count. But when the armed allocation fails, the count equals the interval, and
# scarce_struck() stores it in /run/scarce.KIND.

# scarce_set NAME VALUE: sets the option NAME of the kernel's fault injection
scarce_set() { printf '%s\n' "$2" >"/sys/kernel/debug/$SCARCE/$1"; }

# scarce_up KIND: prepares failures of the driver's allocations, including those that may wait. The
# driver must be loaded. KIND is failslab (kmalloc and caches) or fail_page_alloc (pages).
scarce_up()
{
	local start end
	SCARCE=$1
	[ -d "/sys/kernel/debug/$SCARCE" ] || fail "the kernel has no $SCARCE"
	[ -e "/run/scarce.$SCARCE" ] || echo 0 >"/run/scarce.$SCARCE"
	read -r start end < <(awk '$2 ~ /^[tT]$/ && $4 == "[xiw]" { print $1 }' /proc/kallsyms |
		LC_ALL=C sort | sed -n '1p;$p' | paste -sd' ')
	# Assume that the last function of the driver has less than 4096 bytes.
	end=$(printf '%x' $((16#$end + 4096)))
	scarce_set times 0
	scarce_set verbose 0
	scarce_set ignore-gfp-wait N
	if [ "$SCARCE" = fail_page_alloc ]; then
		scarce_set ignore-gfp-highmem N
		scarce_set min-order 0
	fi
	scarce_set stacktrace-depth 32
	scarce_set require-start "0x$start"
	scarce_set require-end "0x$end"
	scarce_set probability 100
}

# scarce_arm N: makes only the Nth of the next allocations fail. If the kernel has counted C
# allocations, the Nth allocation has the number C + N, which becomes the interval.
scarce_arm()
{
	scarce_set times 0
	SCARCE_NEXT=$(($(<"/run/scarce.$SCARCE") + $1))
	scarce_set interval "$SCARCE_NEXT"
	scarce_set times 1
}

# scarce_struck: succeeds if the armed allocation has failed
scarce_struck()
{
	[ "$(<"/sys/kernel/debug/$SCARCE/times")" = 0 ] || return
	# With an interval of 1, the kernel does not count.
	[ "$SCARCE_NEXT" -eq 1 ] || echo "$SCARCE_NEXT" >"/run/scarce.$SCARCE"
}

# scarce_calm CMD...: repeats CMD, which allocates memory, until the armed allocation has failed.
# Otherwise, the count would be unknown, because only a failure reveals the count.
scarce_calm()
{
	local tries
	for ((tries = 0; tries < 5000; tries++)); do
		! scarce_struck || return 0
		"$@" || :	# CMD fails if the armed allocation fails
	done
	fail "the armed allocation does not fail"
}

# scarce_down: ends the failures
scarce_down() { scarce_set probability 0; }
