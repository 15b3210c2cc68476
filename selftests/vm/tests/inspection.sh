# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The tools list each of a thousand QPs of a device (a hundred with PCIe RNICs) once, even if other
# QPs are created and destroyed in the meantime. A monitor gets ten thousand events per second, or
# reports the number of lost events. The test also measures the cost of lists and monitors. With
# --icount, each instruction counts as a nanosecond (docs/performance.md), and no event may be lost.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 300
# group: long
# shellcheck shell=bash

QPS=${XIW_TEST_QPS:-1000}
[ "$RNIC" != pci ] || QPS=${XIW_TEST_QPS:-100}
CLOCK=$(bench_clock)
# Copy the tool, because programs start slowly from the shared folder.
mkdir /tmp/bin
cp "$(command -v xiw)" /tmp/bin
PATH=/tmp/bin:$PATH

# by_xiw, by_rings, by_rdma: print the QP numbers of side a, one on each line, from three sources
by_xiw() { on_a xiw --json conn "$RD_A" | jq -r '.connections[] | .qpn // empty'; }
by_rings() { on_a xiw --json dump "$RD_A" | jq -r '.rings[] | .qpn // empty'; }
by_rdma() { rdma -j resource show qp link "$RD_A/1" | jq -r '.[] | select(.type == "RC") | .lqpn'; }

# seen BY: checks that the function BY prints each QP number of /tmp/known exactly once
seen()
{
	"$1" | sort >/tmp/seen
	equal "$1: QPs seen twice" '' "$(uniq -d /tmp/seen | xargs)"
	equal "$1: QPs missed" '' "$(comm -23 /tmp/known /tmp/seen | xargs)"
}

# come_and_go: makes and ends connections in sessions of its own until /tmp/content exists. Writes
# the number of these connections into /tmp/went
come_and_go()
{
	local went=0 port=$((XT_PORT + 1))
	xt_open guest a
	xt_open host b
	xt host listen "addr=$IP_B" port=$port hello=0 autoclose=1
	until [ -e /tmp/content ]; do
		xt guest connect "addr=$IP_B" port=$port n=5 hello=0
		xt guest close ep=all
		went=$((went + 5))
		echo $went >/tmp/went
	done
}

xt_up
xt_open a a
xt_open b b
xt b listen "addr=$IP_B" "port=$XT_PORT" hello=0
for ((i = 0; i < QPS; i += 50)); do
	xt a connect "addr=$IP_B" "port=$XT_PORT" n=50 hello=0
done
by_rdma | sort >/tmp/known
equal "QPs of the stock tool" "$QPS" "$(wc -l </tmp/known)"

say "each is there once, while others come and go"
come_and_go &
GUEST=$!
moved() { [ "$(cat /tmp/went 2>/dev/null || echo 0)" -gt "$1" ]; }
for round in 1 2 3; do
	BEFORE=$(cat /tmp/went 2>/dev/null || echo 0)
	wait_for 20 moved "$BEFORE" || fail "nothing comes and goes"
	for by in by_xiw by_rings by_rdma; do
		seen $by
	done
done
touch /tmp/content
wait "$GUEST" || fail "what came and went failed"
say "$(cat /tmp/went) came and went in $round rounds"

# cost NAME COMMAND...: prints the mean time of ten runs of COMMAND, in the kernel and in user
# space. With --icount, checks that the ten runs take at most a second in the kernel
cost()
{
	local name=$1 user sys i TIMEFORMAT='%U %S'
	shift
	for i in 1 2 3 4 5 6 7 8 9 10; do "$@" >/dev/null; done 2>/dev/null
	{ time for i in 1 2 3 4 5 6 7 8 9 10; do "$@" >/dev/null 2>&1; done; } 2>/tmp/cost
	read -r user sys </tmp/cost
	user=${user/./} sys=${sys/./}
	say "$name, $QPS QPs: $((10#$sys / 10)) ms in the kernel, $((10#$user / 10)) outside ($CLOCK)"
	# Times depend on the machine, so the test only prints them. The number of instructions is
	# the same on every machine, so the test limits it.
	[ "$CLOCK" != instructions ] || [ $((10#$sys)) -le 1000 ] || fail "$name costs too much"
}
cost "xiw conn" xiw conn "$RD_A"
cost "xiw --json conn" xiw --json conn "$RD_A"
cost "xiw dump" xiw dump "$RD_A"
cost "rdma resource show qp" rdma resource show qp link "$RD_A/1"
cost "rdma -dd resource show qp" rdma -dd resource show qp link "$RD_A/1"

# events RATE FORM: causes RATE events per second for two seconds. Checks that a monitor with the
# output format FORM (--tsv or --json) receives each event or counts it as lost
events()
{
	local number timed heard lost user sys TIMEFORMAT='%U %S' n=$(($1 * 2))
	: >/tmp/events
	{ time xiw "$2" monitor >/tmp/events 2>/tmp/events.err; } 2>/tmp/cost &
	timed=$!
	wait_for 10 grep -q . /tmp/events || fail "nobody listens"
	number=$(pgrep -n -x xiw)
	on_a /run/guest/genl xiw "storm@$1" 6 $n "1=u32:$INDEX" 3=u8:1
	all_heard()
	{
		if [ "$2" = --tsv ]; then
			heard=$(($(wc -l </tmp/events) - 1))
			lost=$(awk '/ are lost$/ { n += $1 } END { print n + 0 }' /tmp/events.err)
		else
			heard=$(jq -s '[.[].notices[]] | length' /tmp/events)
			lost=$(jq -s '[.[].lost // 0] | add' /tmp/events)
		fi
		[ $((heard + lost)) -ge $n ]
	}
	# The driver reports the number of lost events with the next event, so cause one more event.
	on_a xiw config set "$RD_A" park-time=1s
	wait_for 60 all_heard "$@" || fail "of $n heard $heard, lost $lost"
	kill "$number"
	# Do not use $! here: a command after the start of the monitor may have changed it.
	wait $timed || :
	# Read the last line: before it, the shell may print a message about the end of the monitor.
	read -r user sys < <(tail -n 1 /tmp/cost)
	say "$2 monitor, $n events at $1/s: heard $heard, lost $lost," \
		"$((10#${user/./}${sys:+ + 10#${sys/./}})) ms ($CLOCK)"
	[ "$CLOCK" != instructions ] || [ "$lost" -eq 0 ] || fail "$2: lost $lost"
}
INDEX=$(told a '.devices[0].index' show "$RD_A")
events 10000 --tsv
events 10000 --json

xt a close ep=all
xt b close ep=all
xiw_clean
