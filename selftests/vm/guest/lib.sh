# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for tests.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }

# fail WHY: ends the test as failed
fail() { say "fail: $*"; exit 1; }

# skip FEATURE: ends the test as skipped; the runner accepts only skips that
# the list "skips" expects
skip() { say "skip: $*"; exit 77; }

# expect TEXT CMD...: runs CMD, which must succeed
expect()
{
	local text=$1 rc=0
	shift
	say "+ $text: $*"
	"$@" || rc=$?
	[ "$rc" -eq 0 ] || fail "$text: status $rc"
}

# refuse TEXT CMD...: checks that CMD fails, but not by a signal or a time limit
refuse()
{
	local text=$1 rc=0
	shift
	say "+ $text (must fail): $*"
	"$@" || rc=$?
	[ "$rc" -ne 0 ] || fail "$text: succeeded"
	[ "$rc" -lt 124 ] || fail "$text: status $rc"
}

# equal TEXT WANTED GOT: fails if GOT differs from WANTED
equal() { [ "$2" = "$3" ] || fail "$1: '$3' instead of '$2'"; }

now_ms() { printf '%s' $((${EPOCHREALTIME/./} / 1000)); }

# All time limits are in seconds of an idle host. PATIENCE extends them on a busy host.

# wait_for SECONDS CMD...: waits until CMD succeeds
wait_for()
{
	local end=$((${EPOCHREALTIME/./} + $1 * 1000000 * PATIENCE))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "${EPOCHREALTIME/./}" -lt "$end" ] || { say "waited in vain: $*"; return 1; }
		nap 0.05
	done
}

# nap SECONDS: sleeps without a process: nobody writes into the FIFO, which init makes
nap() { read -r -t "$1" <>/run/nap || :; }

# within SECONDS CMD...: runs CMD (not a function) with a time limit
within() { timeout -k 2 "$(($1 * PATIENCE))" "${@:2}"; }

# irq_poll_breaks: succeeds on a kernel whose irq_poll corrupts its list: with PREEMPT_RT since
# 6.18, a softirq may preempt a softirq of the same CPU (docs/upstream/irq_poll)
irq_poll_breaks()
{
	case $(uname -v) in *PREEMPT_RT*) ;; *) return 1 ;; esac
	printf '%s\n' 6.18 "$(uname -r)" | sort -CV
}

# load MODULE [VARIANT]: loads the module of this tree if there is one, otherwise the kernel's
# module. A test declares the variants of xiw that it loads.
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
		# in a kernel that contains the driver
		modprobe "$1" "${options[@]}"
	fi
}

# loaded NAME: succeeds if the module is loaded; a built-in module does not count
loaded() { [ -e "/sys/module/${1//-/_}/initstate" ]; }

# unload MODULE...: unloads modules; fails after a time limit
unload()
{
	local module
	for module in "$@"; do
		loaded "$module" || continue
		within 20 rmmod "$module" || return
	done
}

# have_module NAME: succeeds if load or modprobe can find the module
have_module() { [ -e "/lab/in/modules/$1.ko" ] || modinfo "$1" >/dev/null 2>&1; }
