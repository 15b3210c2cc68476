# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw term shows errors after the end of their connection: Terminates at both ends with the
# offending header, rejects, failed connects, and aborts. Only users with CAP_NET_ADMIN see STags.
# The test also checks the snapshot of the flight recorder at the end of a connection, and invalid
# requests.
# topology: netns one
# kernels: all
# rnic: soft pci
# timeout: 200
# shellcheck shell=bash

NOTICE_GET=7

# last SIDE FILTER: prints the latest event of SIDE that the jq expression FILTER selects, as JSON
last()
{
	told "$1" "[.notices[] | select($2)] | last // empty" term "$(rd_of "$1")"
}
# wait_notice SIDE FILTER: waits until last() prints an event for SIDE and FILTER, and sets NOTICE
# to this event
wait_notice()
{
	has_notice() { NOTICE=$(last "$1" "$2") && [ -n "$NOTICE" ]; }
	wait_for 10 has_notice "$@" || fail "$1: no notice with $2: $(told "$1" . term)"
	NOTICE=$(last "$1" "$2")
	say "$1: $NOTICE"
}
# notice_is WANTED EXPRESSION: checks that the jq EXPRESSION yields WANTED for NOTICE
notice_is() { equal "$2" "$1" "$(jq -c "$2" <<<"$NOTICE")"; }

xt_up
xt_pair
told_is a '[]' .notices term "$RD_A"

say "a Write to no memory: both ends tell the same Terminate"
xt_listen
xt_join
xt_spoil op=write buf=m len=100 rkey=0x77777700 raddr=0x1230
wait_notice b '.kind == "terminate"'
SENT=$NOTICE
notice_is '"local"' .origin
notice_is '[1,1,0]' '[.terminate.layer, .terminate.type, .terminate.code]'
notice_is '"responder"' .role
notice_is '[true,"'"$IP_A"'",'"$XT_PORT"']' \
	'[.qpn > 0, .remote.address, .local.port]'
notice_is '"777777000000000000001230"' '.terminate.ddp_header[4:]'
notice_is 114 .terminate.segment_length
notice_is '[false,null]' '[.terminate.hidden, .terminate.rdma_header]'
wait_notice a '.kind == "terminate"'
notice_is '"remote"' .origin
notice_is "$(jq -c '.terminate' <<<"$SENT")" .terminate
notice_is "$(jq -c '[.local, .remote]' <<<"$SENT")" '[.remote, .local]'
on_b xiw term | tee /tmp/term.text
grep -q "sent Terminate 1/1/0x00" /tmp/term.text || fail "no words for it"
grep -q "STag 0x77777700, TO 0x1230" /tmp/term.text || fail "no header in words"

say "what passed last on the connection, and nothing of others"
NOTICE=$SENT
notice_is '["received","RDMA Write",100,false,"c140777777000000000000001230"]' \
	'.records[-1] | [.direction, .operation, .length, .message, .ddp_header]'
notice_is true '.records | map(.age_ns) | . == (sort | reverse) and .[0] < 60000000000'
notice_is '["received","sent"]' '[.records[] | select(.operation == "Send") | .direction] | sort'
notice_is true '.records | length <= 5'
NOTICE=$(last a '.kind == "terminate"')
notice_is '["received","Terminate"]' '.records[-1] | [.direction, .operation]'
notice_is '["sent",100,"777777000000000000001230"]' \
	'[.records[] | select(.operation == "RDMA Write")][-1] | [.direction, .length, .ddp_header[4:]]'
# The PCIe RNIC itself assigns MSNs and makes segments, so the driver records whole messages without
# an MSN.
notice_is "$([ "$RNIC" = soft ] && echo '["00000001",false]' || echo '["00000000",true]')" \
	'[.records[] | select(.operation == "Send" and .direction == "sent")][0] |
		[.ddp_header[20:28], .message]'
on_b xiw term --recorder | tee /tmp/term.text
grep -q "received *RDMA Write, STag 0x77777700, TO 0x1230, 100 octets, the last" /tmp/term.text ||
	fail "no record in words"

say "who may not administer sees no STag"
UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs)
NOTICE=$(on_b "${UNPRIVILEGED[@]}" xiw --json term "$RD_B" | jq -c '.notices[-1]')
notice_is true .terminate.hidden
notice_is '"000000000000000000000000"' '.terminate.ddp_header[4:]'
notice_is 114 .terminate.segment_length
notice_is '[true,"c140000000000000000000000000"]' '.records[-1] | [.hidden, .ddp_header]'
notice_is '["00000000"]' '[.records[].ddp_header[4:12]] | unique'

say "only the last are kept"
xt_listen
xt_join
xt b sink "ep=$EP_B" n=64 len=4000
xt a run "ep=$EP_A" op=send buf=m off=4M len=4000 qd=8 count=100
xt_sunk b "$EP_B" messages 100
xt_spoil op=write buf=m len=100 rkey=0x77777700 raddr=0x1230
wait_notice b ".number > $(jq .number <<<"$SENT") and .kind == \"terminate\""
notice_is '[15,"RDMA Write","Send"]' \
	'[(.records | length), .records[-1].operation, .records[-2].operation]'
if [ "$RNIC" = soft ]; then
	# Messages of 4000 octets have three segments, and only the last segment has the L bit.
	notice_is true '.records[:-1] | map(.length) | max < 4000 and min > 0'
	notice_is '["01","41"]' '[.records[:-1][].ddp_header[0:2]] | unique'
fi

say "a Read of no memory: the Read Request's header comes along"
xt_listen
xt_join
xt_spoil op=read buf=m len=64 rkey=0x77777700 raddr=0
wait_notice b '.terminate.rdma_header != null'
notice_is '[0,1,0]' '[.terminate.layer, .terminate.type, .terminate.code]'
notice_is '"0000004077777700"' '.terminate.rdma_header[24:40]'
NOTICE=$(on_b "${UNPRIVILEGED[@]}" xiw --json term "$RD_B" | jq -c '.notices[-1]')
notice_is '"'"$(printf '%024d00000040%024d' 0 0)"'"' .terminate.rdma_header

say "a rejected connect"
xt_listen mode=hold hello=0
xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0
xt b wait ep=all state=request
xt b reject "ep=${XT[ep]}"
xt a wait ep=all state=rejected
xt a close ep=all
xt b close ep=all
wait_notice a '.kind == "reject"'
notice_is '["remote","initiator",'"$XT_PORT"']' '[.origin, .role, .remote.port]'
wait_notice b '.kind == "reject"'
notice_is '["local","responder","'"$IP_A"'"]' '[.origin, .role, .remote.address]'

say "nobody there"
xt_try a connect "addr=$IP_B" "port=$((XT_PORT + 1))" hello=0 || say "${XT[0]}"
wait_notice a '.kind == "connect-error"'
notice_is '["initiator",'$((XT_PORT + 1))']' '[.role, .remote.port]'
notice_is 111 .errno
xt_try a close ep=all || :

say "an abort tells the peer 0/0/0x00"
xt_listen
xt_join
xt a modify "ep=$EP_A" state=ERR
xt b wait "ep=$EP_B" state=disconnected
xt a close ep=all
xt b close ep=all
wait_notice a '.terminate.layer == 0 and .terminate.type == 0'
notice_is '"local"' .origin
wait_notice b '.terminate.layer == 0 and .terminate.type == 0'
notice_is '"remote"' .origin

say "numbers go up, times too, and no more than 64 are kept"
for _ in {1..70}; do
	xt_try a connect "addr=$IP_B" "port=$((XT_PORT + 1))" hello=0 || :
	xt_try a close ep=all || :
done
full() { told_is a 64 '.notices | length' term "$RD_A"; }
wait_for 10 full || fail "not as many as are kept: $(told a '.notices | length' term)"
told_is a true '.notices | map(.number) | . == (sort | unique)' term "$RD_A"
told_is a true '.notices | map(.time_ns) | . == sort' term "$RD_A"
told_is a 2 '.notices | length' term --last 2 "$RD_A"

say "refusals"
INDEX=$(told a '.devices[0].index' show "$RD_A")
genl_is "errno=22 missing=1 text=*has no device index" ask $NOTICE_GET
genl_is "errno=22 missing=4 text=*no event number*" ask $NOTICE_GET "1=u32:$INDEX"
genl_is "errno=2 at=4 text=No event with this number was kept" ask $NOTICE_GET "1=u32:$INDEX" 4=u64:1
genl_is "errno=2 at=4 text=No event with this number was kept" ask $NOTICE_GET "1=u32:$INDEX" 4=u64:0
genl_is "errno=22 at=4 text=*" ask $NOTICE_GET "1=u32:$INDEX" 4=u32:1
genl_is "errno=22*text=A dump cannot select an event" dump $NOTICE_GET 4=u64:1
genl_is "errno=19*" dump $NOTICE_GET 1=u32:999999
LATEST=$(told a '.notices[-1].number' term "$RD_A")
genl_is messages=1 ask $NOTICE_GET "1=u32:$INDEX" "4=u64:$LATEST"

xiw_clean
