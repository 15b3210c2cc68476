# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Failing allocations, if the kernel supports them (as the kernel debug does). The Nth allocation
# that has a function of the driver on its stack fails, in any context.
# shellcheck shell=bash

# While an interval is set, the kernel counts such allocations; the count begins at boot. When the
# count is a multiple of the interval, the allocation fails. The count cannot be read, but a failure
# reveals the count, which is then stored in /run/scarce.KIND.

scarce_set() { printf '%s\n' "$2" >"/sys/kernel/debug/$SCARCE/$1"; }

# scarce_up KIND: enables failslab (kmalloc and caches) or fail_page_alloc (pages) for allocations
# of the driver, which must be loaded, including those that may wait
scarce_up()
{
	local start end
	SCARCE=$1
	[ -d "/sys/kernel/debug/$SCARCE" ] || fail "the kernel has no $SCARCE"
	[ -e "/run/scarce.$SCARCE" ] || echo 0 >"/run/scarce.$SCARCE"
	read -r start end < <(awk '$2 ~ /^[tT]$/ && $4 == "[xiw]" { print $1 }' /proc/kallsyms |
		LC_ALL=C sort | sed -n '1p;$p' | paste -sd' ')
	# assume that the last function has less than 4096 bytes
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

# scarce_arm N: fails the Nth allocation from now on, and no other. If C allocations have been
# counted, an interval of C + N hits the Nth one.
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
	# with an interval of 1, the kernel does not count
	[ "$SCARCE_NEXT" -eq 1 ] || echo "$SCARCE_NEXT" >"/run/scarce.$SCARCE"
}

# scarce_calm CMD...: disarms. Repeats CMD, which allocates, until the armed allocation has
# failed, because only a failure reveals the count.
scarce_calm()
{
	local tries
	for ((tries = 0; tries < 5000; tries++)); do
		! scarce_struck || return 0
		"$@" || :	# CMD fails if the armed allocation fails
	done
	fail "what was armed does not fail"
}

scarce_down() { scarce_set probability 0; }
