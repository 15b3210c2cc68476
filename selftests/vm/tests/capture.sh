# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw capture writes exactly the messages and octets that the driver counts for a connection, for
# each opcode and at both ends. A truncated segment keeps its original length. With --qp, segments
# of other QPs are omitted. A tool that was stopped for a while reports how many segments it has
# lost. A device has one capture at a time, and a capture ends with its tool or its device.
# topology: netns one
# kernels: all
# rnic: soft pci
# timeout: 180
# shellcheck shell=bash

declare -A TOOL=()
# begin SIDE [WORD...]: starts a capture of SIDE into /tmp/SIDE.pcapng; WORDs are options of xiw
# capture. Sets TOOL[SIDE] to the process
begin()
{
	local err=/tmp/$1.err
	: >"$err"
	rm -f "/tmp/$1.pcapng"
	on_"$1" xiw capture "$(rd_of "$1")" -w "/tmp/$1.pcapng" "${@:2}" 2>>"$err" &
	wait_for 10 grep -q '^xiw: ' "$err" || fail "$1: it does not begin"
	grep -q 'capturing on' "$err" || fail "$1: $(cat "$err")"
	TOOL[$1]=$(pgrep -n -x xiw)
}
over() { ! kill -0 "${TOOL[$1]}" 2>/dev/null; }
# end SIDE: ends the capture of SIDE; sets SAID to the last line of its output
end()
{
	kill -INT "${TOOL[$1]}" 2>/dev/null || :
	wait_for 20 over "$1" || fail "$1: it does not end"
	SAID=$(tail -n 1 "/tmp/$1.err")
	say "$1: $SAID"
}
# said SIDE WORD: prints the number before WORD in SAID. SIDE is not used: SAID belongs to the
# capture that has just ended
said() { sed -n "s/.* \([0-9,]*\) $2.*/\1/p" <<<"${SAID//,/}, "; }

# items SIDE: prints a JSON array of the FPDUs in the file of SIDE. The member "sent" is true if
# SIDE has sent the FPDU
items()
{
	local ip=$IP_B
	[ "$1" = b ] || ip=$IP_A
	xiw --json decode "/tmp/$1.pcapng" | jq -c --arg ip "$ip" '.capture |
		(.connections | map({(.connection | tostring): (.initiator.address == $ip)}) | add) as $ours |
		[.items[] | .fpdu + {sent: ($ours[.connection | tostring] == (.from == "initiator"))}]'
}
# caught SIDE: prints [sent, opcode, messages, octets after the DDP header] for each direction and
# opcode in the file of SIDE
caught()
{
	items "$1" | jq -c '[.[] | select(.header)] | group_by(.sent, .header.opcode) | map([
		.[0].sent, .[0].header.opcode, (map(select(.header.last)) | length),
		(map(.header.payload) | add)])'
}
# counted SIDE: prints the same list as caught(), but from the driver's counters. The list omits
# Writes that a PCIe RNIC has received, because no event reports them
counted()
{
	told "$1" '[.connections[] | select(.qpn != null) | .operations[] |
		[false, .opcode, .received, .received_bytes], [true, .opcode, .sent, .sent_bytes] |
		select(.[2] > 0) | select("'"$RNIC"'" != "pci" or .[0] or .[1] != 0)] | sort' \
		conn "$(rd_of "$1")"
}
# all_there SIDE: succeeds if the file of SIDE contains all that the driver has counted
all_there() { [ "$(caught "$1")" = "$(counted "$1")" ]; }

# everything: runs all operations over a new connection, and compares the captures of both ends with
# the counters
everything()
{
	xt_listen
	begin a
	begin b
	xt_join
	xt_every_op 300000 imm=0xcafe
	for side in a b; do
		wait_for 20 all_there $side ||
			fail "$side: caught $(caught $side), counted $(counted $side)"
		equal "operations of $side" true "$(caught $side | jq 'length >= 6')"
		end $side
		equal "lost by $side" 0 "$(said $side lost)"
		equal "in the file of $side" "$(said $side captured)" "$(items $side | jq length)"
	done
	equal "what the RNIC's headers say" '[true,51966,true]' "$(items a | jq -c '
		[any(.[]; .sent and .read_request.size == 300000),
		 ([.[] | select(.sent) | .immediate // empty] | .[0] / 4294967296 | floor),
		 any(.[]; .sent and .atomic_request != null)]')"
	equal "both ends saw the same atomics" \
		"$(items a | jq -c '[.[] | select(.sent) | .atomic_request // empty]')" \
		"$(items b | jq -c '[.[] | select(.sent | not) | .atomic_request // empty]')"
}

xt_up
xt_pair
if [ "$RNIC" = soft ]; then
	say "with markers, of which a capture has none"
	configure markers=on
	everything
	told_is a '[true,true]' \
		'.connections[] | select(.role == "initiator") | [.markers_tx, .markers_rx]' conn "$RD_A"
	xt_part
	xt b close ep=all
	configure markers=off
fi
everything

say "a truncated segment keeps its original length"
begin a --snap 14
xt_wc SUCCESS a wr op=write buf=m len=5000
write_there() { [ "$(items a | jq '[.[].header.payload // 0] | add')" = 5000 ]; }
wait_for 10 write_there || fail "$(items a)"
end a
[ "$(stat -c %s /tmp/a.pcapng)" -lt 2500 ] || fail "a file of $(stat -c %s /tmp/a.pcapng)"

say "segments of other QPs are omitted"
xt a query "ep=$EP_A"
QPN=${XT[qpn]}
begin a --qp "$QPN"
xt_wc SUCCESS a wr op=write buf=m len=5000
wait_for 10 write_there || fail "$(items a)"
end a
[ "$(said a captured)" -gt 0 ] || fail "nothing of QP $QPN"
begin a --qp 1000000
xt_wc SUCCESS a wr op=write buf=m len=5000
end a
equal "of another QP" 0 "$(said a captured)"

say "one capture at a time; a capture ends with its tool"
begin a
refuse "a second one" on_a xiw capture "$RD_A" -c 0
TOLD=$(on_a xiw capture "$RD_A" -c 0 2>&1) || :
[[ $TOLD == *"already has a capture"* ]] || fail "not told why: $TOLD"
kill -KILL "${TOOL[a]}"
wait_for 10 over a || fail "it lives"
expect "another one" on_a xiw capture "$RD_A" -c 0
refuse "not for everybody" on_a setpriv --reuid 65534 --regid 65534 --clear-groups \
	--no-new-privs xiw capture

say "a reader that sleeps"
begin a --buffer 128
kill -STOP "${TOOL[a]}"
for ((i = 0; i < 10; i++)); do
	xt_wc SUCCESS a wr op=write buf=m len=300000
done
kill -CONT "${TOOL[a]}"
end a
# With a PCIe RNIC, the capture contains only the headers of the ten Writes, and the buffer has room
# for these headers.
if [ "$RNIC" = soft ]; then
	[ "$(said a lost)" -gt 0 ] || fail "nothing is lost: $SAID"
else
	equal "lost" 0 "$(said a lost)"
fi
equal "in the file" "$(said a captured)" "$(items a | jq length)"

say "requests that make no sense"
INDEX=$(told a '.devices[0].index' show "$RD_A")
START=11 GET=12 STOP=13
genl_is "errno=22*has no device index" ask $START
genl_is "errno=34 at=5*" ask $START "1=u32:$INDEX" 5=u32:0
genl_is "errno=34 at=5*" ask $START "1=u32:$INDEX" 5=u32:64769
genl_is "errno=34 at=6*" ask $START "1=u32:$INDEX" 6=u32:131071
genl_is "errno=34 at=6*" ask $START "1=u32:$INDEX" 6=u32:67108865
genl_is "errno=2*has no capture on the device" ask $GET "1=u32:$INDEX"
genl_is "errno=2*has no capture on the device" ask $STOP "1=u32:$INDEX"

say "with the device"
xt_part
xt b close ep=all
begin a
xt_close a
xt_close b
if [ "$RNIC" = soft ]; then
	on_a rdma link del "$RD_A"
	wait_for 10 over a || fail "it waits for a device that is gone"
	grep -q "$RD_A is gone" /tmp/a.err || fail "$(cat /tmp/a.err)"
else
	end a
fi
