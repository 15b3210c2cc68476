# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for tests.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }

# fail WHY: ends the test as failed
fail() { say "fail: $*"; exit 1; }

# skip FEATURE: ends the test as skipped, because FEATURE is missing. The lab accepts only skips
# that the file "skips" lists.
skip() { say "skip: $*"; exit 77; }

# expect TEXT CMD...: runs CMD, and fails the test if CMD fails. TEXT describes CMD in the output.
expect()
{
	local text=$1 rc=0
	shift
	say "+ $text: $*"
	"$@" || rc=$?
	[ "$rc" -eq 0 ] || fail "$text: status $rc"
}

# refuse TEXT CMD...: runs CMD, which must fail with a status below 124. Otherwise, fails the test.
# A status of 124 or more means a time limit or a signal.
refuse()
{
	local text=$1 rc=0
	shift
	say "+ $text (must fail): $*"
	"$@" || rc=$?
	[ "$rc" -ne 0 ] || fail "$text: succeeded"
	[ "$rc" -lt 124 ] || fail "$text: status $rc"
}

# equal TEXT WANTED GOT: fails the test if GOT differs from WANTED. TEXT describes the value in the
# output.
equal() { [ "$2" = "$3" ] || fail "$1: '$3' instead of '$2'"; }

# now_ms: prints the time in milliseconds
now_ms() { printf '%s' $((${EPOCHREALTIME/./} / 1000)); }

# Time limits are in seconds on an idle host. PATIENCE extends them on a busy host.

# wait_for SECONDS CMD...: repeats CMD until it succeeds; returns 1 after the time limit
wait_for()
{
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000 * PATIENCE))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] || { say "waited in vain: $*"; return 1; }
		nap 0.05
	done
}

# nap SECONDS: sleeps without starting a process. init makes the FIFO, and no process writes to it.
nap() { read -r -t "$1" <>/run/nap || :; }

# within SECONDS CMD...: runs the program CMD with a time limit. Returns the status of CMD, or 124
# or 137 at the time limit.
within() { timeout -k 2 "$(($1 * PATIENCE))" "${@:2}"; }

# tcp_counter NAME: prints the counter NAME of TCP in this network namespace, for example RetransSegs
tcp_counter()
{
	awk -v name="$1" '$1 == "Tcp:" && at { print $at }
		$1 == "Tcp:" { for (i = 2; i <= NF; i++) if ($i == name) at = i }' /proc/net/snmp
}

# irq_poll_breaks: succeeds on kernels whose irq_poll may corrupt its list. These are kernels with
# PREEMPT_RT since 6.18, where a softirq may preempt a softirq of the same CPU
# (docs/upstream/irq_poll).
irq_poll_breaks()
{
	case $(uname -v) in *PREEMPT_RT*) ;; *) return 1 ;; esac
	printf '%s\n' 6.18 "$(uname -r)" | sort -CV
}

# load MODULE [VARIANT]: loads MODULE as built by the lab, or, if the lab has not built it, the
# kernel's module. VARIANT is a variant of xiw; a test declares the variants that it loads.
load()
{
	local file=/lab/in/modules/${2:+$2/}$1.ko deps dep options=()
	[ ! -d "/sys/module/${1//-/_}" ] || return 0
	if [ "$1" = xiw_test ]; then
		options=("patience=$PATIENCE")
		! irq_poll_breaks || options+=(softirq=0)
	fi
	if [ -e "$file" ]; then
		deps=$(<"${file%.ko}.depends")
		for dep in ${deps//,/ }; do
			load "$dep" || return
		done
		insmod "$file" "${options[@]}"
	else
		# The module is part of the kernel. In some kernels, the driver is part of the
		# kernel, too.
		modprobe "$1" "${options[@]}"
	fi
}

# loaded NAME: succeeds if the module NAME is loaded. A built-in module does not count.
loaded() { [ -e "/sys/module/${1//-/_}/initstate" ]; }

# unload MODULE...: unloads those modules that are loaded; returns the status of a failed rmmod, or
# 124 at a time limit
unload()
{
	local module
	for module in "$@"; do
		loaded "$module" || continue
		within 20 rmmod "$module" || return
	done
}

# have_module NAME: succeeds if load() or modprobe can find the module
have_module() { [ -e "/lab/in/modules/$1.ko" ] || modinfo "$1" >/dev/null 2>&1; }
