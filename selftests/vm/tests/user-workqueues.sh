# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Work items that allocate memory on behalf of a user do not run on the workqueue on which storage
# depends. Otherwise, a user whose memory cgroup is full could occupy that workqueue. The kernel's
# tracepoint names the workqueue of each work item.
# topology: one
# kernels: all
# timeout: 120
# shellcheck shell=bash

TRACING=/sys/kernel/tracing
EVENT=$TRACING/events/workqueue/workqueue_queue_work

[ -d "$EVENT" ] || skip "tracepoint workqueue_queue_work"
user_up
chmod a+rw /dev/infiniband/*
configure connect-by-number=on
gids_up() { [ "$(gid "$RD_A" 1) $(gid "$RD_B" 1)" = "$(mapped "$IP_A") $(mapped "$IP_B")" ]; }
wait_for 10 gids_up || fail "no GIDs of the addresses"

# queues FUNCTION: prints the workqueues that got work items with this function
queues()
{
	sed -nE "s/.* function=$1( \[xiw\])? workqueue=(xiw_[a-z]+)-.*/\2/p" "$TRACING/trace" |
		sort -u | paste -sd ' '
}

# verbs_on QUEUE CMD...: runs cases of xiw-verbs by the command CMD, such as env. Checks that the
# workqueue QUEUE runs the work items of listeners, and those of peers that connect by QP number
verbs_on()
{
	local queue=$1
	shift
	echo >"$TRACING/trace"
	expect "a listener" on_a "$@" xiw-verbs "$IP_A" "$IP_B" send
	equal "workqueue of the listener" "$queue" "$(queues xiw_listener_work)"
	expect "peers" on_a "$@" xiw-verbs "$IP_A" "$IP_B" numbers number-either-first
	equal "workqueue of the peers" "$queue" "$(queues xiw_peer_work)"
	user_clean
}

echo 'workqueue ~ "xiw_*"' >"$EVENT/filter"
echo 1 >"$EVENT/enable"

say "the administrator"
verbs_on xiw_cm env

say "a user"
verbs_on xiw_user prlimit --memlock=4194304 setpriv --reuid=nobody --clear-groups --inh-caps=-all \
	--bounding-set=-all

echo 0 >"$EVENT/enable"
echo 0 >"$EVENT/filter"
echo >"$TRACING/trace"
