# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The driver keeps interrupts off for at most a millisecond, whatever a user or a peer does. The
# kernel's irqsoff tracer measures this time. The test posts, flushes and resets queues of 16,384
# entries, and resizes a CQ, in one call each. It also lets a whole queue wait for one response of
# the peer, creates and destroys many memory regions, and reads all objects with the tool.
#
#   lab run -k debug --icount irqs-off
#
# With --icount, each instruction counts as a nanosecond. The measured time includes instructions of
# KASAN, lockdep and kmemleak, so a production kernel needs a fraction of this time. The tracer
# keeps only the longest section with interrupts off. If that section is outside the driver, all
# sections of the driver are shorter, so the longest section of a step is an upper bound for the
# driver.
# topology: one
# kernels: debug
# rnic: soft
# group: irqsoff
# timeout: 1500
# shellcheck shell=bash

TRACING=/sys/kernel/tracing
LIMIT_US=1000	# max duration of a section in the driver
BOUND_US=3000	# max duration outside the driver; a longer section could hide one of the driver
DEPTH=16380	# the exerciser adds four work requests, which makes 16,384, the limit of the device
COUNT=16000
SECTIONS=$OUT/sections

# tracing FILE VALUE: writes VALUE into FILE of tracefs
tracing() { printf '%s\n' "$2" >"$TRACING/$1"; }

# owner: reads a trace from standard input. If a function of the driver has enabled interrupts
# again, prints the name of this function. The stack of the trace begins with functions of the
# kernel that the driver calls to enable interrupts; owner skips them. A section that an interrupt
# begins does not belong to the driver.
owner()
{
	awk 'NR == FNR { if ($4 == "[xiw]") ours[$3]; next }
	/started at: irqentry_enter/ { exit }
	!/^#/ && /^ *=> / {
		name = $2
		sub(/[+ ].*/, "", name)
		if (name ~ /^(_raw_|trace_|tracer_|stop_critical|lockdep_|local_|__local_)/) next
		if (name in ours) print name
		exit
	}' /proc/kallsyms -
}

# holder: reads the trace of a section outside the driver from standard input, and prints the
# innermost function
holder() { awk '!/^#/ && /^ *=> / { print $2; exit }'; }

# step TEXT CMD...: measures the longest section with interrupts off during CMD; TEXT names the
# step. A section may be too long by accident: at the first use of a lock or a stack, lockdep does a
# long search. A long section outside the driver may also hide a section of the driver. Therefore
# the step succeeds if the section was short enough in at least one round; OPEN[TEXT] is then empty.
# A long loop in the driver makes the section too long in each round.
LONGEST=0 SEEN=0
declare -A OPEN=()
step()
{
	local us who limit=$BOUND_US
	tracing tracing_on 0
	tracing current_tracer irqsoff
	tracing tracing_max_latency 0
	tracing tracing_on 1
	"${@:2}"
	tracing tracing_on 0
	us=$(<"$TRACING/tracing_max_latency")
	who=$(owner <"$TRACING/trace")
	say "$1: $us us, ${who:-not the driver: $(holder <"$TRACING/trace")}"
	{ say "== $1"; head -n 200 "$TRACING/trace"; } >>"$SECTIONS"
	tracing current_tracer nop
	if [ -n "$who" ]; then
		SEEN=$((SEEN + 1))
		limit=$LIMIT_US
	fi
	if [ "$us" -gt "$limit" ]; then
		[ -z "${OPEN[$1]-unseen}" ] || OPEN[$1]="$us us, ${who:-somebody else}"
	else
		OPEN[$1]=''
		[ -z "$who" ] || [ "$us" -le "$LONGEST" ] || LONGEST=$us
	fi
}

parted() { xt a close ep=all && xt b close ep=all; }

# --------------------------------------------------------------- queues of the kernel
long_pair()
{
	xt_listen rq=$DEPTH sq=$DEPTH "$@"
	xt_join rq=$DEPTH sq=$DEPTH "$@"
}

# posted: posts COUNT receives on side a, and then COUNT Sends in one call. Side b has no receive
# for these Sends, and sends nothing.
posted()
{
	xt a recv "ep=$EP_A" n=$COUNT buf=m off=2M len=64
	xt a post "ep=$EP_A" op=send buf=m len=4096 n=$((COUNT - 1)) more=1
	xt a post "ep=$EP_A" op=send buf=m len=4096
}

# flushed: moves the QP of side a to ERR, and checks that all of its work requests have completed
flushed()
{
	xt a modify "ep=$EP_A" state=ERR
	xt b wait "ep=$EP_B" state=disconnected
	xt a wcall "ep=$EP_A" n=$((2 * COUNT))
	xt_is n $((2 * COUNT))
}

# behind_read: posts COUNT Writes behind a Read whose response is late. First, side b sends a Send
# for which side a has no receive, so the Read Response waits behind this Send. The Writes are sent,
# but do not complete before the Read.
written() { [ "$(counter b rx_write_requests)" -ge "$1" ]; }
behind_read()
{
	local before
	before=$(counter b rx_write_requests)
	xt b post "ep=$EP_B" op=send buf=m off=4M len=64
	xt a post "ep=$EP_A" op=read buf=m len=8
	xt a post "ep=$EP_A" op=write buf=m len=0 n=$((COUNT - 1)) more=1
	xt a post "ep=$EP_A" op=write buf=m len=0
	wait_for 60 written $((before + COUNT)) || fail "the Writes do not leave"
	xt a query "ep=$EP_A"
	xt_is qp_state RTS
}
# answered: posts a receive for the Send of behind_read(), and checks that the Read and all
# Writes complete
answered()
{
	xt a recv "ep=$EP_A" buf=m off=2M len=64
	xt a wcall "ep=$EP_A" n=$((COUNT + 2))
	xt_is SUCCESS $((COUNT + 2))
}

reset()
{
	xt a modify "ep=$EP_A" state=ERR
	xt a modify "ep=$EP_A" state=RESET
}

looked()
{
	on_a xiw dump "$RD_A" >/dev/null || fail "xiw dump"
	on_a rdma -dd resource show qp >/dev/null || fail "rdma resource show"
}

regions() { xt a regs "ep=$EP_A" n=2000 buf=m len=4096; }

# many: makes 40 connections, and closes them while each has Writes outstanding
many()
{
	local first i
	xt a connect "addr=$IP_B" "port=$XT_PORT" n=40
	first=${XT[ep]}
	for ((i = first; i < first + 40; i++)); do
		xt a post "ep=$i" op=write buf=m len=65000 n=8 signal=0
	done
	xt b close ep=all
	xt a wait ep=all state=ended
	xt a close ep=all
}

xt_up
user_provider
xt_pair
# The Send of side b in behind_read() waits for a receive until the next step.
configure park-time=30s

rest() { nap 0.5; }

# scenes: runs all steps once
scenes()
{
	say "at rest"
	step "nothing" rest
	xt_listen
	xt_join
	step "some Writes" xt a run "ep=$EP_A" op=write buf=m len=4096 qd=8 count=200
	xt_part
	xt b close ep=all

	long_pair hello=0
	step "posts" posted
	step "a look" looked
	step "a flush" flushed
	step "destroyed, flushed" parted

	long_pair
	step "what waits for a Read" behind_read
	step "the answer" answered
	step "a reset" reset
	step "destroyed, reset" parted

	xt_listen
	xt_join
	step "memory regions" regions
	xt_part
	step "many connections" many

	for case in full-queues full-shared-queue full-cq; do
		step "user: $case" on_a xiw-verbs "$IP_A" "$IP_B" $case
	done
}

# unsettled: prints each step that kept interrupts off for too long in every round so far
unsettled()
{
	local name
	for name in "${!OPEN[@]}"; do
		[ -z "${OPEN[$name]}" ] || printf '%s (%s); ' "${OPEN[$name]}" "$name"
	done
}
for round in 1 2 3; do
	say "round $round"
	scenes
	left=$(unsettled)
	[ -n "$left" ] || break
done
xiw_clean
user_clean

[ "$SEEN" -gt 0 ] || fail "no section of the driver was seen"
say "longest section of the driver with interrupts off: $LONGEST us"
[ -z "$left" ] || fail "interrupts were off for $left see $SECTIONS"
