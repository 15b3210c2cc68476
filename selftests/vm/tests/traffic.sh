# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw conn shows the load of a connection, by opcode and in both directions. The counts of both ends
# match to the octet, and the octets of all opcodes add up to those of the stream. The test also
# checks the reports on queues and TCP.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 180
# shellcheck shell=bash

# conn SIDE: writes the only connection of the device of SIDE, as JSON, into /tmp/SIDE.json
conn() { told "$1" '.connections[] | select(.qpn != null)' conn "$(rd_of "$1")" >"/tmp/$1.json"; }
# conn_is SIDE WANTED EXPRESSION: checks that the jq EXPRESSION of /tmp/SIDE.json is WANTED
conn_is() { equal "$1: $3" "$2" "$(jq -c "$3" "/tmp/$1.json")"; }

# agree: succeeds if each end has received all that the other end has sent, by opcode, and if the
# octets of all opcodes add up to those of the stream
agree()
{
	conn a && conn b && jq -se '
		def of(sent): [.operations[] | select((if sent then .sent else .received end) > 0) |
			if sent then [.opcode, .sent, .sent_bytes] else [.opcode, .received, .received_bytes] end];
		(.[0] | of(true)) == (.[1] | of(false)) and (.[1] | of(true)) == (.[0] | of(false)) and
		(.[0] | [.operations[].sent_bytes] | add) == .[0].tx_bytes and
		(.[0] | [.operations[].received_bytes] | add) == .[0].rx_bytes and
		(.[1] | [.operations[].sent_bytes] | add) == .[1].tx_bytes and
		(.[1] | [.operations[].received_bytes] | add) == .[1].rx_bytes
	' /tmp/a.json /tmp/b.json >/dev/null
}
agreed()
{
	wait_for 10 agree || fail "the ends count differently: $(jq -c '[.tx_bytes, .rx_bytes,
		(.operations[] | del(.operation))]' /tmp/a.json /tmp/b.json)"
}

# sent SIDE OPCODE [FILE]: prints [messages, octets] that SIDE has sent with OPCODE, from FILE
# (default /tmp/SIDE.json)
sent()
{
	jq -c "[.operations[] | select(.opcode == $2)] | [(map(.sent) | add), (map(.sent_bytes) | add)] |
		map(. // 0)" "${3-/tmp/$1.json}"
}
# more_is SIDE WANTED OPCODE: checks that the output of sent() has grown by WANTED, [messages,
# octets], since /tmp/SIDE.before
more_is()
{
	equal "$1: opcode $3" "$2" "$(jq -nc --argjson now "$(sent "$1" "$3")" \
		--argjson was "$(sent "$1" "$3" "/tmp/$1.before")" \
		'[$now[0] - $was[0], $now[1] - $was[1]]')"
}
# counting: checks that the counts of both ends agree, and stores them for more_is()
counting()
{
	agreed
	cp /tmp/a.json /tmp/a.before
	cp /tmp/b.json /tmp/b.before
}

xt_up
xt_pair
xt_listen
xt_join sq=16 ord=3 ird=5
counting
equal "the RTR message" '[1,0]' "$(sent a 0)"
equal "the exerciser's hello" 1 "$(sent b 3 | jq '.[0]')"
equal "and nothing else" '[2,1]' \
	"$(jq -sc 'map([.operations[].sent] | add)' /tmp/a.json /tmp/b.json)"

say "so many of each"
for len in 0 1 1000 300000; do
	xt_wc SUCCESS a wr op=write buf=m "len=$len"
done
for len in 8 70000; do
	xt_wc SUCCESS a wr op=read buf=m off=4M "len=$len"
done
for se in 0 1; do
	xt b recv "ep=$EP_B" buf=m off=2M len=100000
	xt_wc SUCCESS a wr op=send "se=$se" buf=m len=100000
	xt_wc SUCCESS b wc "ep=$EP_B"
done
xt b recv "ep=$EP_B" buf=m off=2M len=100000
xt_wc SUCCESS a wr op=write_imm buf=m len=4096 imm=7
xt_wc SUCCESS b wc "ep=$EP_B"
xt_wc SUCCESS a wr op=fetchadd add=1
xt_wc SUCCESS a wr op=cmpswp cmp=0 swap=1
xt a recv "ep=$EP_A" buf=m off=2M len=100
xt_wc SUCCESS b wr "ep=$EP_B" op=send buf=m len=77
xt_wc SUCCESS a wc "ep=$EP_A"
agreed
more_is a '[5,305097]' 0	# RDMA Write
more_is a '[2,56]' 1		# Read Request
more_is b '[2,70008]' 2		# Read Response
more_is a '[1,100000]' 3	# Send
more_is a '[1,100000]' 5	# Send with Solicited Event
more_is a '[1,8]' 8		# Immediate Data
more_is a '[2,104]' 10		# Atomic Request
more_is b '[2,24]' 11		# Atomic Response
more_is b '[1,77]' 3

say "queues, and TCP below"
conn_is a true '.sq_depth >= 16 and .sq_used == 0'
conn_is a '[0,0]' '[.ord_used, .ird_used]'
USED=$(jq .rq_used /tmp/b.json)
xt b recv "ep=$EP_B" buf=m off=2M len=100
conn b
conn_is b true ".rq_used == $USED + 1 and .rq_depth > .rq_used"
if [ "$RNIC" = soft ]; then
	conn_is a true '.tcp.mss > 500 and .tcp.rtt_us > 0 and .tcp.cwnd > 0 and .tcp.peer_window > 0'
	conn_is a '[0,0]' '[.tcp.tx_queue, .tcp.rx_queue]'
else
	conn_is a null .tcp
fi
on_a xiw conn --detail "$RD_A" | tee /tmp/text
grep -q "RDMA Read Request *2 *56 *0" /tmp/text || fail "no Read Requests in words"
grep -q "queues *send 0 of $(jq .sq_depth /tmp/a.json), receive" /tmp/text || fail "no queues in words"

say "everybody may read them"
UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs)
equal "as root and as nobody" "$(jq -c .operations /tmp/a.json)" \
	"$(on_a "${UNPRIVILEGED[@]}" xiw --json conn "$RD_A" |
		jq -c '.connections[] | select(.qpn != null) | .operations')"

say "many of them, both ways"
xt_wc SUCCESS a wr op=send buf=m len=100
xt_wc SUCCESS b wc "ep=$EP_B"
counting
xt b sink "ep=$EP_B" n=64 len=5000 off=2M
xt a run "ep=$EP_A" op=send buf=m off=4M len=5000 qd=8 count=1000
xt_sunk b "$EP_B" messages 1000
xt a run "ep=$EP_A" op=write buf=m off=4M len=20000 qd=8 count=1000
xt a run "ep=$EP_A" op=read buf=m off=4M len=20000 qd=3 count=500
agreed
more_is a '[1000,5000000]' 3
more_is a '[1000,20000000]' 0
more_is b '[500,10000000]' 2

say "a connection begins from zero"
xt_part
xt_join
agreed
equal "the new one" '[2,1]' \
	"$(jq -sc 'map([.operations[].sent] | add)' /tmp/a.json /tmp/b.json)"
xt_part
xt b close ep=all
xiw_clean
