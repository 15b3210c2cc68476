# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw monitor reports connects, state changes, Terminates, rejects, failed connects and changed
# settings. A monitor gets only events of devices in its own network namespace. Events are in order.
# Either they are complete, or xiw monitor reports the number of lost events. A monitor keeps
# running when a device is removed, and ends when the module is removed.
# topology: netns one
# kernels: all
# rnic: soft
# timeout: 300
# shellcheck shell=bash

# watch SIDE [WORD...]: starts xiw monitor on SIDE, with the options WORD, and returns when the tool
# listens. /tmp/events.SIDE is its output, and WATCH[SIDE] its process
declare -A WATCH=()
watch()
{
	local file=/tmp/events.$1
	: >"$file"
	on_"$1" xiw --json monitor "${@:2}" >>"$file" 2>/tmp/events.err &
	wait_for 10 grep -q '"notices":\[\]' "$file" || fail "$1: nobody listens"
	# Find the process of the tool, and not that of the shell which waits for the tool.
	WATCH[$1]=$(pgrep -n -x xiw)
}
part() { xt_part; xt b close ep=all; }
# heard SIDE FILTER: prints those events of the device of SIDE that the jq expression FILTER
# selects, as a JSON array
heard()
{
	jq -c -s "[.[].notices[] | select(.device == \"$(rd_of "$1")\") | select($2)]" "/tmp/events.$1"
}
# heard_some SIDE FILTER [N]: succeeds if heard() prints at least N events (default 1)
heard_some() { [ "$(heard "$1" "$2" | jq length)" -ge "${3:-1}" ]; }
# wait_heard SIDE FILTER [N]: waits until heard() prints at least N events (default 1)
wait_heard()
{
	wait_for 10 heard_some "$@" || fail "$1: not heard: $2: $(heard "$1" true)"
	say "$1: $(heard "$1" "$2" | jq -c 'map([.kind, .origin, .from, .to, .text])')"
}

xt_up
xt_pair

say "no monitor: the events cause no error, and none is kept"
xt_listen
xt_join
part
told_is a '[]' .notices term "$RD_A"

watch a
watch b

say "a connection, from its beginning to its end"
xt_listen
xt_join
wait_heard a '.kind == "connect"'
wait_heard b '.kind == "connect"'
equal "who connected" '["local","initiator","'"$IP_B"'"]' \
	"$(heard a '.kind == "connect"' | jq -c '.[0] | [.origin, .role, .remote.address]')"
equal "who accepted" '["remote","responder","'"$IP_A"'"]' \
	"$(heard b '.kind == "connect"' | jq -c '.[0] | [.origin, .role, .remote.address]')"
wait_heard b '.from == "idle" and .to == "rtr"'
wait_heard b '.from == "rtr" and .to == "rts"'
wait_heard a '.from == "idle" and .to == "rts"'
part
wait_heard a '.to == "error"'
wait_heard b '.to == "error"'
equal "errors on the way" '[]' "$(heard a '.kind == "terminate" or .kind == "abort"')"

say "a Terminate, a reject, a connect that fails, a configuration"
xt_listen
xt_join
xt_spoil op=write buf=m len=100 rkey=0x77777700 raddr=0
wait_heard b '.kind == "terminate" and .origin == "local"'
wait_heard a '.kind == "terminate" and .origin == "remote"'
equal "STags are for nobody" '[true,"000000000000000000000000"]' \
	"$(heard b '.kind == "terminate"' | jq -c '.[0].terminate | [.hidden, .ddp_header[4:]]')"
xt_listen mode=reject hello=0
xt_try a connect "addr=$IP_B" "port=$XT_PORT" hello=0 || say "${XT[0]}"
xt_try a close ep=all || :
xt b close ep=all
wait_heard a '.kind == "reject" and .origin == "remote"'
wait_heard b '.kind == "reject" and .origin == "local"'
xt_try a connect "addr=$IP_B" "port=$((XT_PORT + 1))" hello=0 || say "${XT[0]}"
xt_try a close ep=all || :
wait_heard a '.kind == "connect-error"'
expect "another configuration" on_a xiw config set "$RD_A" park-time=1s
wait_heard a '.kind == "config"'

say "in order, with nothing missing"
for side in a b; do
	equal "numbers of $side" true "$(heard $side true |
		jq -c 'map(.number) | . == [range(.[0]; .[0] + length)]')"
done
equal "lost" '[]' "$(jq -c -s 'map(select(.lost))' /tmp/events.a /tmp/events.b)"

if [ "$TOPOLOGY" = netns ]; then
	say "what happens in another namespace is not told"
	equal "of b to a" '[]' "$(jq -c -s "[.[].notices[] | select(.device == \"$RD_B\")]" /tmp/events.a)"
	equal "of a to b" '[]' "$(jq -c -s "[.[].notices[] | select(.device == \"$RD_A\")]" /tmp/events.b)"
fi

say "a listener that sleeps loses some, and is told how many"
kill -STOP "${WATCH[a]}"
BEFORE_STORM=$(heard a true | jq '.[-1].number')
INDEX=$(told a '.devices[0].index' show "$RD_A")
on_a /run/guest/genl xiw storm 6 20000 "1=u32:$INDEX" 3=u8:1
kill -CONT "${WATCH[a]}"
on_a xiw config set "$RD_A" park-time=2s
# all_told: succeeds if the monitor of side a has received or lost at least 20,000 events after
# event number BEFORE_STORM
all_told()
{
	local sum
	on_a xiw config set "$RD_A" park-time=2s
	sum=$(jq -s --argjson from "$BEFORE_STORM" '([.[].notices[] | select(.device == "'"$RD_A"'")
		| select(.number > $from)] | length) + ([.[].lost // 0] | add)' /tmp/events.a)
	[ "$sum" -ge 20000 ]
}
wait_for 60 all_told || fail "not all are told or counted"
LAST=$(heard a true | jq '.[-1].number')
SUM=$(jq -s --argjson from "$BEFORE_STORM" '([.[].notices[] | select(.device == "'"$RD_A"'")
	| select(.number > $from)] | length) + ([.[].lost // 0] | add)' /tmp/events.a)
equal "heard and lost" $((LAST - BEFORE_STORM)) "$SUM"
say "of $SUM lost: $(jq -s '[.[].lost // 0] | add' /tmp/events.a)"

say "a listener outlives the device"
xt_close a
xt_close b
on_a rdma link del "$RD_A"
kill -0 "${WATCH[a]}" || fail "the listener ended"

say "a listener ends with the module, because no event of another module reaches it"
over() { ! kill -0 "${WATCH[$1]}" 2>/dev/null; }
expect "the module is removed" rmmod xiw
for side in a b; do
	wait_for 10 over $side || fail "$side: it waits for events of a module that is gone"
done
grep -q "the kernel module xiw was removed" /tmp/events.err || fail "$(cat /tmp/events.err)"
expect "it comes back" rdma_up xiw
