# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw inject injects errors. The normal build of the driver refuses injections and reports the
# reason. A build that supports injections injects exactly the errors that are armed. The peer
# detects each error that the RFCs let it detect, the counts of xiw inject are right, and armed
# injections never delay the end of a connection.
# topology: one
# kernels: stable
# rnic: soft
# variants: inject
# timeout: 90
# shellcheck shell=bash

INJECT_SET=14
# LATE: a delay in seconds. It is longer than the checks that run during the delay, and is in the
# range that xiw inject allows.
LATE=$((3 * PATIENCE < 30 ? 3 * PATIENCE : 30))
UNPRIVILEGED=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs)

# no_injection WHY STATUS WORD...: checks that `xiw inject WORD...` fails with STATUS and prints WHY
no_injection()
{
	local text status=0
	text=$(on_a xiw inject "${@:3}" 2>&1) || status=$?
	equal "status of xiw inject ${*:3}: $text" "$2" "$status"
	[[ $text == *"$1"* ]] || fail "xiw inject ${*:3}: $text"
	say "+ xiw inject ${*:3}: $text"
}
# arm DEVICE WORD..., disarm DEVICE [WORD...]: run xiw inject set and xiw inject clear on side a
arm() { expect "armed: $*" on_a xiw inject set "$@"; }
# armed_is SIDE WANTED: checks the armed injections of SIDE. WANTED: a JSON array of [kind,
# occasions so far, injections so far]
armed_is()
{
	told_is "$1" "$2" '.injections[0].armed | map([.kind, .seen, .hits])' \
		inject show "$(rd_of "$1")"
}
disarm() { expect "cleared: $*" on_a xiw inject clear "$@"; }

# meet: makes a connection; sets QP_A and QP_B to the numbers of its QPs
meet()
{
	xt_listen
	xt_join
	QP_A=$(told a '.connections[] | select(.role == "initiator").qpn' conn "$RD_A")
	QP_B=$(told b '.connections[] | select(.role == "responder").qpn' conn "$RD_B")
}
part() { xt_part; xt b close ep=all; }
# over: checks that an error has ended the connection at both ends
over()
{
	xt a wait "ep=$EP_A" state=disconnected
	xt b wait "ep=$EP_B" state=disconnected
	xt a close ep=all
	xt b close ep=all
}

# ended_by SIDE QPN ORIGIN CODE: waits until SIDE reports the end of the QP with the number QPN.
# ORIGIN: local or remote. CODE: layer, type and code of the Terminate, separated by commas; empty
# if the end has no Terminate
ended_by()
{
	local want='["'"$3"'",'"${4:+[}${4:-null}${4:+]}"']'
	ended_is()
	{
		[ "$want" = "$(told "$1" '.notices[] | select(.qpn == '"$2"') | [.origin,
			(.terminate | if . then [.layer, .type, .code] else null end)]' \
			term "$(rd_of "$1")")" ]
	}
	wait_for 10 ended_is "$@" || fail "$1: not $want: $(told "$1" '.notices[-1]' term "$(rd_of "$1")")"
	say "$1: QP $2 ended by $want"
}
# refused_by_b CODE: checks that side b has ended the connection by a Terminate with CODE, and that
# side a has received this Terminate
refused_by_b()
{
	over
	ended_by b "$QP_B" local "$1"
	ended_by a "$QP_A" remote "$1"
}
now_ms() { printf '%s' $((${EPOCHREALTIME/./} / 1000)); }
# took MS: checks that at least MS milliseconds have passed since START
took()
{
	local took=$(($(now_ms) - START))
	say "it took $took ms"
	[ $took -ge "$1" ] || fail "it took $took ms, not $1"
}

say "the module that is shipped"
xt_up
for words in "" "show $RD_A" "set $RD_A drop" "clear $RD_A"; do
	# shellcheck disable=SC2086
	no_injection "built without error injection" 1 $words
done
rdma_down
for module in xiw_test xiw; do expect "$module goes" unload $module; done

say "the one with injection"
expect "the variant" load xiw inject
xt_up
xt_pair
armed_is a '[]'
equal "armed" "no injections are armed" "$(on_a xiw inject)"

say "permissions, and invalid requests"
meet
refuse "not for everybody" on_a "${UNPRIVILEGED[@]}" xiw inject set "$RD_A" drop
refuse "not for everybody" on_a "${UNPRIVILEGED[@]}" xiw inject clear "$RD_A"
expect "to read is" on_a "${UNPRIVILEGED[@]}" xiw inject show "$RD_A"
no_injection "qp" 2 set "$RD_A" drop -q
no_injection "No QP with this number" 1 set "$RD_A" drop -q 16777215
INDEX=$(told a '.devices[0].index' show "$RD_A")
genl_is "errno=22 missing=5 text=*no kind*" ask $INJECT_SET "1=u32:$INDEX"
genl_is "errno=22 missing=9 text=*" ask $INJECT_SET "1=u32:$INDEX" 5=u8:4
genl_is "errno=22 at=9 text=*" ask $INJECT_SET "1=u32:$INDEX" 5=u8:0 9=u32:5
genl_is "errno=22 at=10 text=*" ask $INJECT_SET "1=u32:$INDEX" 5=u8:0 10=u32:5
genl_is "errno=19*" ask $INJECT_SET 1=u32:999999 5=u8:0
armed_is a '[]'
WHOSE=" -q $QP_A"
for ((i = 0; i < 16; i++)); do echo "inject set $RD_A drop at=4294967295$WHOSE"; WHOSE=; done >/tmp/injections
expect "as many as there may be" on_a xiw batch /tmp/injections
no_injection "maximum number of armed injections" 1 set "$RD_A" drop
disarm "$RD_A" -q "$QP_A"
equal "still armed" 15 "$(told a '.injections[0].armed | length' inject show "$RD_A")"
disarm "$RD_A"
armed_is a '[]'
say "a bad CRC: the third of three FPDUs"
arm "$RD_A" crc at=3 -q "$QP_A"
for ((i = 0; i < 3; i++)); do xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=100; done
refused_by_b 2,0,2
equal "bad CRCs at b" 1 "$(counter b rx_crc_errors)"
armed_is a '[["crc",3,1]]'
disarm "$RD_A"

say "a Send that is not sent: the next one has the wrong MSN"
meet
for ((i = 0; i < 3; i++)); do xt b recv "ep=$EP_B" buf=m off=2M len=100; done
arm "$RD_A" drop at=2 -q "$QP_A"
for ((i = 0; i < 2; i++)); do xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m len=100; done
xt_wc SUCCESS b wc "ep=$EP_B"
xt_err ETIMEDOUT b wc "ep=$EP_B" timeout=200
xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m len=100
refused_by_b 1,2,3
armed_is a '[["drop",3,1]]'
disarm "$RD_A"

say "a segment of a Send that is missing: the wrong MO"
meet
xt b recv "ep=$EP_B" buf=m off=2M len=64K
arm "$RD_A" drop at=2 -q "$QP_A"
xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m len=64K
refused_by_b 1,2,4
disarm "$RD_A"

say "a segment of a Write that is missing: nobody can tell, but the data are not there"
meet
xt a fill buf=m len=64K seed=1
xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=64K
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m len=0
xt b check buf=m len=64K seed=1
arm "$RD_A" drop at=2 -q "$QP_A"
xt a fill buf=m len=64K seed=2
xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=64K
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m len=0
if xt_try b check buf=m len=64K seed=2; then fail "all of it is there"; fi
xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=64K
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m len=0
xt b check buf=m len=64K seed=2
disarm "$RD_A"

say "all messages of side a are lost, also more than one batch"
arm "$RD_A" drop count=0 -q "$QP_A"
xt a run "ep=$EP_A" op=write buf=m off=4M len=1000 qd=8 count=500
armed_is a '[["drop",500,500]]'
disarm "$RD_A"

say "of two injections that are due at the same time, only one causes the error"
for ((i = 0; i < 2; i++)); do arm "$RD_A" drop count=1 -q "$QP_A"; done
for ((i = 0; i < 2; i++)); do xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=100; done
armed_is a '[["drop",2,1],["drop",2,1]]'
disarm "$RD_A"
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1

say "Writes that are sent twice do no harm: one out of two, three times"
arm "$RD_A" duplicate every=2 count=3 -q "$QP_A"
PACKETS=$(counter b rx_pkts)
for ((i = 0; i < 10; i++)); do xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=100; done
armed_is a '[["duplicate",10,3]]'
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m len=0
equal "FPDUs that b got" $((PACKETS + 14)) "$(counter b rx_pkts)"
disarm "$RD_A"
xt a fill buf=m len=1M seed=4
arm "$RD_A" duplicate count=0 -q "$QP_A"
xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=1M
disarm "$RD_A"
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m off=4M len=0
xt b check buf=m len=1M seed=4
say "a Send does"
for ((i = 0; i < 2; i++)); do xt b recv "ep=$EP_B" buf=m off=2M len=100; done
arm "$RD_A" duplicate -q "$QP_A"
xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m len=100
xt_wc SUCCESS b wc "ep=$EP_B"
refused_by_b 1,2,3
disarm "$RD_A"

say "a reset between two FPDUs, and in the middle of one"
for octets in 0 10; do
	meet
	arm "$RD_A" reset at=2 octets=$octets -q "$QP_A"
	xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=100
	xt_try a wr "ep=$EP_A" op=read buf=m len=100
	xt_is wc WR_FLUSH_ERR
	over
	ended_by a "$QP_A" remote
	ended_by b "$QP_B" remote
	armed_is a '[["reset",2,1]]'
	disarm "$RD_A"
done

say "a response that is late, but right; requests of side b continue"
meet
xt b fill buf=m len=8K seed=3
arm "$RD_B" delay at=2 time=${LATE}s -q "$QP_B"
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m off=4M len=8K
rm -f /tmp/a.answer
START=$(now_ms)
xt_start a wr "ep=$EP_A" op=read buf=m len=8K
struck() { [ "$(told b '.injections[0].armed[0].hits' inject show "$RD_B")" = 1 ]; }
wait_for 10 struck || fail "not delayed: $(on_b xiw inject)"
xt_wc SUCCESS b wr "ep=$EP_B" op=write len=0
[ ! -e /tmp/a.answer ] || fail "side a has its answer, or side b had to wait as well"
xt_ends a '^status=ok.*wc=SUCCESS'
took $((1000 * LATE - 10))
armed_is b '[["delay",2,1]]'
xt a check buf=m len=8K seed=3
disarm "$RD_B"

say "a message that stalls also delays all later messages"
arm "$RD_A" stall at=2 time=${LATE}s -q "$QP_A"
xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=100
START=$(now_ms)
xt a post "ep=$EP_A" op=write buf=m len=100
xt a post "ep=$EP_A" op=write buf=m len=100
told_is a true ".rings[] | select(.qpn == $QP_A).rings[] |
	select(.ring == \"requests\").not_taken > 0" \
	dump "$RD_A"
xt_wc SUCCESS a wc
xt_wc SUCCESS a wc
took $((1000 * LATE - 10))
armed_is a '[["stall",3,1]]'
disarm "$RD_A"

say "a Write with Immediate is not complete before its Immediate is sent"	# [X-IMM-015]
xt b recv "ep=$EP_B" len=0
arm "$RD_A" stall at=2 time=${LATE}s -q "$QP_A"
START=$(now_ms)
xt_wc SUCCESS a wr "ep=$EP_A" op=write_imm buf=m len=100 imm=7
took $((1000 * LATE - 10))
xt_wc SUCCESS b wc "ep=$EP_B"
armed_is a '[["stall",2,1]]'
disarm "$RD_A"

say "atomics that are refused: the second one of the device, on whatever QP"
OTHER_A=$EP_A OTHER_B=$EP_B
arm "$RD_B" refuse-atomic at=2
xt_wc SUCCESS a wr "ep=$EP_A" op=fetchadd buf=m len=8 add=1
xt a connect "addr=$IP_B" "port=$XT_PORT"
EP_A=${XT[ep]}
xt_try a wr "ep=$EP_A" op=fetchadd buf=m len=8 add=1
xt_is wc REM_INV_REQ_ERR
armed_is b '[["refuse-atomic",2,1]]'
equal "Terminates of b" '[0,2,6]' "$(told b '[.notices[] | select(.kind == "terminate")][-1] |
	.terminate | [.layer, .type, .code]' term "$RD_B")"
xt_wc SUCCESS a wr "ep=$OTHER_A" op=fetchadd buf=m len=8 add=1
disarm "$RD_B"
xt a close ep=all
xt b close ep=all

say "armed injections, and a stalled message, do not delay the end"
meet
arm "$RD_A" drop at=1000 count=0
arm "$RD_A" stall time=30s -q "$QP_A"
xt a post "ep=$EP_A" op=write buf=m len=100
armed_is a '[["drop",0,0],["stall",1,1]]'
START=$(now_ms)
xt a modify "ep=$EP_A" state=ERR
xt_wc WR_FLUSH_ERR a wc
over
[ $(($(now_ms) - START)) -lt $((15000 * PATIENCE)) ] || fail "it took $(($(now_ms) - START)) ms"
xiw_clean
expect "the exerciser goes" unload xiw_test
expect "the driver goes with what is armed" unload xiw
