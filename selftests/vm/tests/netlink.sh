# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The netlink replies of the driver are correct, and both ends report consistent values. The test
# reads devices, capabilities, connections from Request to Terminate, counters and configuration
# with the tool. Invalid requests are refused. If a connection begins during a dump, the kernel
# marks the dump as interrupted, unless the dump lists only devices.
# topology: netns pair
# kernels: all
# rnic: soft
# timeout: 300
# shellcheck shell=bash

MANY=150
DEVICE_GET=1 CAPABILITY_GET=2 CONNECTION_GET=3 COUNTER_GET=4 CONFIG_GET=5 CONFIG_SET=6 RING_GET=10

# tell SIDE COMMAND...: runs xiw COMMAND on SIDE and stores its output; told EXPRESSION: prints what
# the jq EXPRESSION extracts from this output; told_is EXPRESSION WANTED: checks that told() prints
# WANTED
tell()
{
	on_"$1" xiw --json "${@:2}" >/tmp/told.json || fail "$1: xiw ${*:2}: status $?"
}
told() { jq -c "$1" /tmp/told.json; }
told_is()
{
	local got
	got=$(told "$1")
	[ "$got" = "$2" ] || { told .; fail "$1: $got instead of $2"; }
}
# told_true EXPRESSION...: checks that each jq EXPRESSION is true for the stored output
told_true()
{
	local expression all=() results
	for expression; do all+=("([$expression] == [true])"); done
	mapfile -t results < <(IFS=,; told "${all[*]}")
	for expression in "${!all[@]}"; do
		[ "${results[expression]-}" = true ] || { told .; fail "not true: ${all[expression]}"; }
	done
}

# refused SIDE KIND COMMAND ATTRIBUTE... -- WANTED: sends an invalid request from SIDE, and checks
# that the reply matches the pattern WANTED. KIND (ask, dump or raw), COMMAND (a number) and
# ATTRIBUTE (TYPE=FORMAT:VALUE) are arguments of genl
refused()
{
	local side=$1 got want=${*: -1}
	set -- "${@:2:$#-3}"
	got=$(on_"$side" /run/guest/genl xiw "$@") || fail "genl xiw $*: status $?"
	# shellcheck disable=SC2053
	[[ $got == $want ]] || fail "genl xiw $*: '$got' instead of '$want'"
	say "+ $* -> $got"
}

# held COMMAND: requests a dump on side a, connects side a after the first round of the dump, and
# sets HELD to the answer
held()
{
	local line said go pid
	coproc GENL { on_a /run/guest/genl xiw held "$1"; }
	pid=$GENL_PID
	# Use copies of the coprocess's descriptors, because bash closes the originals when genl
	# ends.
	exec {said}<&"${GENL[0]}" {go}>&"${GENL[1]}"
	read -r -t $((30 * PATIENCE)) -u "$said" line || fail "genl xiw held $1 prints nothing"
	equal "genl xiw held $1" held "$line"
	xt a connect "addr=$IP_B" "port=$XT_PORT"
	echo >&"$go"
	read -r -t $((30 * PATIENCE)) -u "$said" HELD || fail "genl xiw held $1 prints no answer"
	exec {said}<&- {go}>&-
	wait "$pid" || fail "genl xiw held $1: status $?"
}

xt_up
xt_pair

say "devices"
tell a show
told_true '[.devices[].device] | index("xiwa") != null' \
	'.devices[0].kind == "soft"' 'all(.devices[]; .state == "active")' \
	'.devices[0].netdev == "'"$DEV_A"'"' '.devices[0].limits.ird > 0' \
	'.devices[0].limits.private_data == 508' '.devices[0].objects.connection == 0' \
	'.devices[0].objects.listener == 0' '.devices[0].objects.parked == 0'
INDEX=$(told '.devices[0].index')
[ "$TOPOLOGY" = one ] || told_is '[.devices[].device]' '["xiwa"]'
[ "$TOPOLOGY" != one ] || told_is '[.devices[].device] | sort' '["xiwa","xiwb"]'
tell b conn
told_is .connections '[]'
on_a ip link set "$DEV_A" down
tell a show xiwa
told_is '.devices[0].state' '"down"'
on_a ip link set "$DEV_A" up
active() { tell a show xiwa && [ "$(told '.devices[0].state')" = '"active"' ]; }
wait_for 10 active || fail "the device stays down"
# The interface has lost its IPv6 addresses because it was down, so the rest of this test uses IPv4.
wait_for 10 on_a ping -c 1 -W 1 "$IP_B"

say "capabilities of the device"
tell a caps xiwa
cap() { printf '.capabilities[%s].entries[] | select(.capability == "%s")' "$1" "$2"; }
told_is "$(cap 0 mpa_revision) | [.local, .offered, .peer, .agreed]" '[2,2,null,null]'
told_is "$(cap 0 rtr) | [.local, .offered]" '["write+read+send","write+read"]'
told_is "$(cap 0 atomic_scope) | [.local, .offered]" '["global","global"]'
told_is "$(cap 0 ird) | .offered" null
told_is "$(cap 0 send_with_immediate) | [.local, .offered]" '[true,false]'
told_is '.capabilities[0].entries | length' 17

say "a listener"
xt_listen mode=hold hello=0 ord=3 ird=5 pdata=b0b1
tell b conn
told_is '[.connections[] | [.device, .role, .local.address, .local.port, .qpn, .mpa_state]]' \
	'[["xiwb","listener","'"$IP_B"'",'"$XT_PORT"',null,null]]'
tell b show xiwb
told_is '.devices[0].objects | [.listener, .connection]' '[1,0]'
LISTENER_ID=$(tell b conn; told '.connections[0].cm_id')

say "a Request that waits for the ULP"
expect "time enough to look" on_a xiw config set xiwa startup-time=30s
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0 pdata=a0a1a2 ord=4 ird=2
EP_A=${XT[ep]}
xt b wait ep=all state=request
EP_B=${XT[ep]}
tell b conn xiwb
one() { printf '.connections[] | select(.device == "%s" and .role == "%s")' "$1" "$2"; }
told_is "$(one xiwb responder) | [.qpn, .mpa_state, .stream_state, .remote.address]" \
	'[null,"ulp-decide",null,"'"$IP_A"'"]'
told_is "$(one xiwb responder) | .frame_received | [.revision, .crc, .markers, .enhanced]" \
	'[2,true,false,true]'
told_is "$(one xiwb responder) | .frame_received | [.peer_to_peer, .rtr_write, .rtr_read, .rtr_send]" \
	'[true,true,true,false]'
told_is "$(one xiwb responder) | .frame_received | [.ird, .ord]" '[2,4]'
told_is "$(one xiwb responder) | .frame_sent" null
tell a conn xiwa
told_is "$(one xiwa initiator) | [.mpa_state, .stream_state, .remote.address, .remote.port]" \
	'[null,"idle","'"$IP_B"'",'"$XT_PORT"']'
told_is "$(one xiwa initiator) | [.mpa_revision, .frame_sent, .frame_received]" '[null,null,null]'

say "established"
xt b accept "ep=$EP_B"
xt a wait "ep=$EP_A" state=ready
xt b wait "ep=$EP_B" state=ready
tell a conn xiwa
SIDE_A=$(told "$(one xiwa initiator)")
tell b conn xiwb
SIDE_B=$(told "$(one xiwb responder)")
jq -n --argjson a "$SIDE_A" --argjson b "$SIDE_B" '{a: $a, b: $b}' >/tmp/told.json
told_true '.a.mpa_state == "full" and .b.mpa_state == "full"' \
	'.a.stream_state == "rts" and .b.stream_state == "rts"' \
	'.a.local == .b.remote and .b.local == .a.remote' \
	'.a.frame_sent == .b.frame_received' '.b.frame_sent == .a.frame_received' \
	'.a.crc and .b.crc' '.a.mpa_revision == 2 and .b.mpa_revision == 2' \
	'.a.rtr == "write"' '.a.ord <= .b.ird and .b.ord <= .a.ird' \
	'.a.mulpdu > 1000' '(.a.terminate or .b.terminate or .a.parked or .b.parked) | not' \
	'.a.markers_tx or .a.markers_rx | not' '.a.ord_used == 0 and .b.ird_used == 0'
QPN=$(told .a.qpn)
tell a caps xiwa --qp "$QPN"
told_is "$(cap 0 crc) | [.local, .offered, .peer, .agreed, .known]" \
	'[true,true,true,true,"negotiated"]'
told_is "$(cap 0 ord) | .known" '"negotiated"'
told_is "$(cap 0 mulpdu) | .known" '"observed"'
told_is "$(cap 0 rtr) | [.offered, .peer, .agreed]" '["write+read","write+read","write"]'
told_is '[.capabilities[] | [.device, .qpn]]' '[["xiwa",'"$QPN"']]'
tell a caps xiwa
told_is '[.capabilities[].qpn] | index(null) == 0' true

say "traffic"
traffic() { printf '.counters[] | select(.device == "%s")' "$1"; }
sent() { told "$(traffic "$1") | .operations[] | select(.operation | ascii_downcase | startswith(\"$2\")) | .sent" |
	head -n 1; }
tell a stat --all xiwa
BEFORE=$(told "$(traffic xiwa) | .counters.tx_pkts")
xt b recv "ep=$EP_B" buf=m len=1000
xt_wc SUCCESS a wr op=send buf=m len=1000
xt_wc SUCCESS b wc "ep=$EP_B"
tell a stat --all xiwa
told_true "$(traffic xiwa) | .counters.tx_pkts == $((BEFORE + 1))" \
	"$(traffic xiwa) | .counters.connects == 1" \
	"$(traffic xiwa) | .counters | .mpa_errors == 0 and .mpa_timeouts == 0" \
	"$(traffic xiwa) | .counters.rx_drops == 0"
equal "Sends" 1 "$(sent xiwa send)"
tell a conn xiwa
told_true "$(one xiwa initiator) | .tx_bytes >= 1000"

say "a rejected connect"
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0
xt b wait ep=all state=request
xt b reject "ep=${XT[ep]}"
xt a wait ep=all state=rejected
tell a stat --all xiwa
told_is "$(traffic xiwa) | .counters | [.connect_errors, .rejects_received]" '[1,1]'
tell b stat --all xiwb
told_is "$(traffic xiwb) | .counters.rejects_sent" 1
on_b rdma -j statistic show link "$RD_B/1" >/tmp/statistic.json
told_true "$(traffic xiwb) | (.counters | keys) - $(jq -c '.[0] | keys' /tmp/statistic.json) == []"

say "refusals"
CM_ID=$(tell b conn xiwb; told "$(one xiwb responder) | .cm_id")
B_INDEX=$(told "$(one xiwb responder) | .index")
refused a ask $DEVICE_GET -- "errno=22 missing=1 text=*has no device index"
refused a ask $DEVICE_GET 1=u32:999999 -- "errno=19 at=1 text=No xiw device*"
refused a ask $DEVICE_GET 1=u8:1 -- "errno=22 at=1 text=*"
refused a ask $DEVICE_GET 2=u32:1 -- "errno=22 at=2 text=*"
refused a raw $DEVICE_GET "1=u32:$INDEX" 0102030405 -- "errno=22 text=*"
refused a dump $DEVICE_GET 1=u32:999999 -- "errno=19*"
refused a ask $CAPABILITY_GET "1=u32:$INDEX" 3=u32:1 -- "errno=2 at=3 text=No QP*"
# Kernel 6.1 does not report which attribute of a dump request is wrong.
refused a dump $CAPABILITY_GET 3=u32:1 -- "errno=22*text=A dump cannot select a QP"
refused a ask $CONNECTION_GET "1=u32:$INDEX" -- "errno=22 missing=4 text=*has no endpoint number"
refused a ask $CONNECTION_GET "1=u32:$INDEX" 4=u32:4294967295 -- "errno=2 at=4 text=No endpoint*"
refused a ask $COUNTER_GET 1=u32:4294967295 -- "errno=19 at=1 text=*"
refused a ask $CONFIG_GET -- "errno=22 missing=1 text=*"
refused a ask $CONFIG_SET 3=u8:0 -- "errno=22 missing=1 text=*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 3=u8:2 -- "errno=34 at=3 text=*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 9=u8:0 -- "errno=22 at=9 text=At least one RTR*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 9=u8:8 -- "errno=22 at=9 text=*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 14=u32:127 -- "errno=34 at=14 text=*128 to 64768*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 14=u32:64769 -- "errno=34 at=14 text=*128 to 64768*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 11=u32:0 -- "errno=34 at=11 text=*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 15=u32:999 -- "errno=34 at=15 text=*1000 to 3600000*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 15=u32:3600001 -- "errno=34 at=15 text=*1000 to 3600000*"
refused a ask $CONFIG_SET "1=u32:$INDEX" 5=u8:1 8=u8:1 -- "errno=22 at=8 text=*revision 2"
refused a ask $CONFIG_SET "1=u32:$INDEX" 5=u8:1 -- "errno=22 at=5 text=*peer-to-peer*"
refused a ask 99 -- "errno=95*"
equal "one listener" messages=1 \
	"$(on_b /run/guest/genl xiw ask $CONNECTION_GET "1=u32:$B_INDEX" "4=u32:$LISTENER_ID")"
equal "one connection" messages=1 \
	"$(on_b /run/guest/genl xiw ask $CONNECTION_GET "1=u32:$B_INDEX" "4=u32:$CM_ID")"
UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs)
equal "everybody may read" messages=1 \
	"$(on_a "${UNPRIVILEGED[@]}" /run/guest/genl xiw ask $CONFIG_GET "1=u32:$INDEX")"
equal "not everybody may write" errno=1 \
	"$(on_a "${UNPRIVILEGED[@]}" /run/guest/genl xiw ask $CONFIG_SET "1=u32:$INDEX" 3=u8:0)"

say "configuration: all of it or nothing"
tell a config show xiwa
OLD=$(told '.config[0].settings')
refuse "a bad value behind a good one" \
	on_a xiw config set xiwa crc=off mpa-revision=1 peer-to-peer=on
tell a config show xiwa
told_is '.config[0].settings' "$OLD"
expect "another configuration" on_a xiw config set xiwa crc=off markers=on rtr=send+read \
	park-time=1s startup-time=2s rtr-time=3s linger-time=4s mulpdu-max=2048 immediates=off \
	peer-time=9s
tell a config show xiwa
told_true '.config[0].settings | .crc == false and .markers and .rtr == "read+send"' \
	'.config[0].settings | [.park_time_ms, .startup_time_ms, .rtr_time_ms, .linger_time_ms] == [1000,2000,3000,4000]' \
	'.config[0].settings.peer_time_ms == 9000' \
	'.config[0].settings | .mulpdu_max == 2048 and .immediates == false and .atomics'
expect "enough time for connections" on_a xiw config set xiwa startup-time=30s park-time=30s
expect "CRC off on the other side too" on_b xiw config set xiwb crc=off
tell a conn xiwa
told_true "$(one xiwa initiator) | .crc"
xt a close "ep=$EP_A"
xt b wait "ep=$EP_B" state=disconnected
xt a close ep=all
xt b close ep=all

say "it holds for the next connection"
xt_listen
xt_join ird=3 ord=3
tell a conn xiwa
told_true "$(one xiwa initiator) | (.crc | not) and .markers_rx and (.markers_tx | not)" \
	"$(one xiwa initiator) | .rtr == \"read\" and .mulpdu <= 2048"
tell b conn xiwb
told_true "$(one xiwb responder) | (.crc | not) and .markers_tx and (.markers_rx | not)"
QPN=$(tell a conn xiwa; told "$(one xiwa initiator) | .qpn")
tell a caps xiwa --qp "$QPN"
told_is "$(cap 0 markers_rx) | [.offered, .agreed, .known]" '[true,true,"configured"]'
told_is "$(cap 0 immediate) | [.local, .offered]" '[true,false]'

say "both ends count a Terminate"
tell a stat --all xiwa
TERMINATES=$(told "$(traffic xiwa) | .counters.terminates_sent + .counters.terminates_received")
xt_try a wr op=write buf=m len=100 rkey=0x77777700 raddr=0 || say "${XT[0]}"
xt a wait "ep=$EP_A" state=disconnected
tell a stat --all xiwa
told_true "$(traffic xiwa) | .counters.terminates_sent + .counters.terminates_received > $TERMINATES"
tell b stat --all xiwb
told_true "$(traffic xiwb) | .counters.rx_drops == 1"
equal "rx_drops for everybody" 1 "$(counter b rx_drops)"
xt a close ep=all
xt b wait "ep=$EP_B" state=disconnected
xt b close ep=all

say "revision 1"
expect "revision 1" on_a xiw config set xiwa mpa-revision=1 peer-to-peer=off
xt_listen
xt_join
tell a conn xiwa
told_is "$(one xiwa initiator) | [.mpa_revision, .rtr, .frame_sent.enhanced, .frame_sent.ird]" \
	'[1,null,false,null]'
xt a close ep=all
xt b wait "ep=$EP_B" state=disconnected
xt b close ep=all

say "dumps while a connection begins"
xt_listen
# These dumps list only devices, which do not change.
for command in $DEVICE_GET $COUNTER_GET $CONFIG_GET; do
	held "$command"
	equal "a dump of command $command" messages=1 "$HELD"
done
for command in $CAPABILITY_GET $CONNECTION_GET $RING_GET; do
	held "$command"
	[[ $HELD == *" interrupted" ]] || fail "a dump of command $command misses a connection: $HELD"
done
xt a close ep=all
xt b wait ep=all state=disconnected n=6
xt b close ep=all

say "dumps of $MANY connections"
expect "revision 2, and time for all of them" on_a xiw config set xiwa mpa-revision=2 \
	peer-to-peer=on startup-time=30s rtr-time=30s park-time=30s peer-time=70s
expect "time at the other end" on_b xiw config set xiwb startup-time=30s rtr-time=30s park-time=30s
xt_listen backlog=200 sq=8 rq=8
xt a connect "addr=$IP_B" "port=$XT_PORT" "n=$MANY" sq=8 rq=8
xt b wait ep=all state=ready "n=$MANY"
tell a conn xiwa
told_is '.consistent' true
told_is "[$(one xiwa initiator) | .qpn] | unique | length" $MANY
tell b conn xiwb
told_is "[$(one xiwb responder) | .cm_id] | unique | length" $MANY
told_is "[$(one xiwb listener)] | length" 1
tell a caps xiwa
told_is '.capabilities | map(select(.qpn != null)) | length' $MANY
tell a show xiwa
told_is '.devices[0].objects | [.connection, .qp]' "[$MANY,$MANY]"
[ "$(on_a /run/guest/genl xiw dump $CONNECTION_GET)" != "messages=$MANY" ] ||
	[ "$TOPOLOGY" != one ] || fail "a dump of both devices has those of one"

say "dumps while devices and connections go"
(while on_a xiw --json conn && on_a xiw --json caps; do :; done) >/dev/null 2>&1 &
READER=$!
xt a close ep=all
xt b wait ep=all state=disconnected "n=$MANY"
xt b close ep=all
gone() { tell a conn && [ "$(told '[.connections[] | select(.role != "listener")] | length')" = 0 ]; }
wait_for 20 gone || fail "connections stay: $(told .)"
xt_clean a
xt_clean b
xt_close a
xt_close b
on_a rdma link del xiwa
kill -0 $READER || fail "a reader failed"
kill $READER
wait $READER || :
tell a show
told_is '[.devices[].device] | index("xiwa")' null
refused a ask $DEVICE_GET "1=u32:$INDEX" -- "errno=19 at=1 text=*"
