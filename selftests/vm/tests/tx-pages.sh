# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The software RNIC reuses the pages of sent octets. It does so even if a long round trip keeps
# megabytes unacknowledged, or if another peer reads no octets. A CPU that sends nothing keeps only
# a few pages, and so does a CPU that goes offline.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

TRACING=/sys/kernel/tracing
EVENT=$TRACING/events/xiw/xiw_tx_pages
HOLDERS=256	# number of connections to a peer that reads nothing
ONLINE=/sys/devices/system/cpu/cpu1/online

# writes MIB: writes MIB mebibytes, in messages of 64 KiB
writes() { xt a run "ep=$EP_A" op=write buf=m off=2M len=65536 qd=32 "count=$(($1 * 16))"; }

# most: reads from the trace the largest number of full pages of each CPU, and prints the sum of
# these numbers
most()
{
	awk '{ match($0, /\[[0-9]+\]/); cpu = substr($0, RSTART, RLENGTH)
		n = $0; if (sub(/.* full=/, "", n) && n + 0 > most[cpu]) most[cpu] = n + 0 }
		END { for (cpu in most) sum += most[cpu]; print sum + 0 }' $TRACING/trace
}

# few_new: writes 64 MiB, and checks that fewer than 512 pages are new. 64 MiB need 2,048 pages of
# 32 KiB.
few_new()
{
	local new
	echo >$TRACING/trace
	writes 64
	new=$(awk '/ change=1$/ { n++ } END { print n + 0 }' $TRACING/trace)
	say "$new new pages for 64 MiB"
	[ "$new" -lt 512 ] || fail "$new new pages for 64 MiB"
}

# trimmed: succeeds if, according to the trace, each CPU that has freed pages keeps 16 pages
trimmed()
{
	awk '/ change=-/ { match($0, /\[[0-9]+\]/); last[substr($0, RSTART, RLENGTH)] = $0 }
		END { for (cpu in last) { n++; bad += last[cpu] !~ / full=16 / }
			exit !n || bad }' $TRACING/trace
}

# fill CPU: connects HOLDERS peers that read nothing, and fills the ring of CPU by Sends to them
fill()
{
	local first i
	# Even if a peer reads nothing, its TCP accepts the initial window of the sender. So make
	# this window large, so that the Sends below occupy many pages.
	expect "window" on_a ip route replace "$IP_B" dev "$DEV_A" initcwnd 44
	xt_open c a
	xt_open d b
	xt d buf name=m size=1M
	xt c buf name=m size=1M
	xt d listen "addr=$IP_B" port=7401 backlog=512 rq=0 hello=0
	xt c connect "addr=$IP_B" port=7401 "n=$HOLDERS" sq=16 hello=0
	first=${XT[ep]}
	taskset -pc "$1" $BASHPID >/dev/null
	echo >$TRACING/trace
	for ((i = 0; i < HOLDERS; i++)); do
		xt c post "ep=$((first + i))" op=send buf=m len=65536 n=4
	done
	expect "route" on_a ip route del "$IP_B" dev "$DEV_A"
}

# empty: closes the connections that fill() has made
empty()
{
	xt_close c
	xt_close d
	wait_for 20 holders_gone || fail "$(parked) streams are parked"
}

# freed: succeeds if, according to the trace, another CPU has freed all full pages of a CPU
freed() { grep -q ' full=0 change=-' $TRACING/trace; }

# The stream STUCK waits for a receive, too. It has waited longest, so it may have ended after
# park-time.
holders_parked() { [ "$(parked)" -ge "$HOLDERS" ]; }
holders_gone() { [ "$(parked)" -le 1 ]; }

[ -d "$TRACING/events" ] || skip "tracefs"
xt_up
xt_pair
configure park-time=30s
xt_listen sink=64 rq=64
xt_join
echo 1 >$EVENT/enable
expect "netem" on_a tc qdisc add dev "$DEV_A" root netem delay 10ms limit 100000
expect "netem" on_b tc qdisc add dev "$DEV_B" root netem delay 10ms limit 100000

say "the pages grow with the octets in flight"
writes 256
full=$(most)
[ "$full" -gt 32 ] || fail "the CPUs had $full pages at most"

say "and are reused"
few_new

say "also while another peer takes nothing"
xt b listen "addr=$IP_B" port=7400 rq=0 hello=0
xt a connect "addr=$IP_B" port=7400 sq=64 hello=0
STUCK=${XT[ep]}
xt a post "ep=$STUCK" op=send buf=m off=4M len=65536 n=32
wait_parked 1
writes 64
few_new

say "many peers that take nothing fill the rings, and another connection still works"
fill 0
wait_for 20 holders_parked || fail "$(parked) streams are parked"
full=$(most)
[ "$full" -ge 256 ] || fail "the rings have $full full pages"
say "$full full pages"
writes 64
few_new

say "and the pages are reused when these peers are gone"
empty
writes 64
few_new

say "and are given back"
wait_for 20 trimmed || fail "pages stay: $(tail -n 3 $TRACING/trace)"

if [ -e $ONLINE ]; then
	say "also if the CPU goes offline"
	fill 1
	echo 0 >$ONLINE
	wait_for 20 freed || fail "pages stay: $(tail -n 3 $TRACING/trace)"
	echo 1 >$ONLINE
	empty
	writes 64
fi
echo 0 >$EVENT/enable
echo >$TRACING/trace
xt_closed a b
xiw_clean
