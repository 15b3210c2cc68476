# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The driver has exactly the tracepoints of docs/tracing.md. In tracefs, each tracepoint has the
# documented fields. Filters work and, if the kernel supports them, histograms.
# topology: netns one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

TRACING=/sys/kernel/tracing
EVENTS=$TRACING/events/xiw

[ -d "$TRACING/events" ] || skip "tracefs"
xt_up
xt_pair

equal "tracepoints" \
	"xiw_atomic xiw_cm_event xiw_fpdu_rx xiw_fpdu_tx_batch xiw_qp_state xiw_stream_state xiw_terminate xiw_tx_pages" \
	"$(cd "$EVENTS" && printf '%s\n' */ | tr -d / | sort | tr '\n' ' ' | sed 's/ $//')"

# fields EVENT FIELD...: checks that EVENT has exactly these fields of its own, in this order
fields()
{
	equal "fields of $1" "${*:2}" "$(sed -n 's/.*field:[^;[]* \([a-z_]*\)\(\[[^;]*\)*;.*/\1/p' \
		"$EVENTS/$1/format" | grep -v '^common_' | tr '\n' ' ' | sed 's/ $//')"
}
fields xiw_fpdu_tx_batch stream fpdus octets mss
fields xiw_tx_pages ifindex full change
fields xiw_fpdu_rx stream length ddp_ctrl rdmap_ctrl staged
fields xiw_stream_state stream state
fields xiw_qp_state qp from to event
fields xiw_cm_event device qp event status local remote
fields xiw_terminate stream sent layer_etype code
fields xiw_atomic stream aop stag to status value

# number SIDE: prints the index of the device of SIDE in `rdma dev`
number() { on_"$1" rdma -j dev show "$(rd_of "$1")" | jq '.[0].ifindex'; }

# traced PATTERN: checks that a line of the trace matches PATTERN, and prints the last such line
traced() { grep -E "$1" "$TRACING/trace" | tail -n 1 | grep . || fail "no trace of '$1': $(tail -n 20 $TRACING/trace)"; }

echo 1 >"$EVENTS/enable"
echo 'hist:keys=fpdus.log2' >"$EVENTS/xiw_fpdu_tx_batch/trigger" || say "no histograms here"

say "a connection, a Write, an atomic, an end by Terminate"
xt_listen
xt_join
QPN=$(told a '.connections[] | select(.role == "initiator") | .qpn' conn "$RD_A")
QPN_B=$(told b '.connections[] | select(.role == "responder") | .qpn' conn "$RD_B")
xt_wc SUCCESS a wr op=write buf=m len=8192
xt_wc SUCCESS a wr op=fetchadd add=1
xt_spoil op=write buf=m len=100 rkey=0x77777700 raddr=0
echo 0 >"$EVENTS/enable"

traced "xiw_fpdu_tx_batch: stream=$QPN fpdus=[1-9][0-9]* octets=[1-9][0-9]* mss=[1-9][0-9]*"
traced "xiw_tx_pages: ifindex=[1-9][0-9]* full=[0-9]+ change=1"
traced "xiw_fpdu_rx: stream=$QPN_B ulpdu=[1-9][0-9]* ddp=0xc1 rdmap=0x40 staged=[01]"
traced "xiw_fpdu_rx: stream=$QPN_B ulpdu=70 ddp=0x41 rdmap=0x4a staged=[01]"
traced "xiw_qp_state: qp=$QPN idle -> rts on "
traced "xiw_qp_state: qp=$QPN_B rtr -> rts on "
traced "xiw_qp_state: qp=$QPN_B .* -> error on "
traced "xiw_stream_state: stream=$QPN state=open"
traced "xiw_atomic: stream=$QPN_B op=0 stag=0x[0-9a-f]* to=0x[0-9a-f]* status=0 value=0x"
of_a="device=$(number a) qp=$QPN" of_b="device=$(number b) qp=$QPN_B"
from="$IP_A:[0-9]+" to="$IP_B:$XT_PORT"
traced "xiw_cm_event: device=$(number b) qp=0 event=connect_request status=0 local=$to remote=$from"
traced "xiw_cm_event: $of_a event=connect_reply status=0 local=$from remote=$to"
traced "xiw_cm_event: $of_b event=established status=0 local=$to remote=$from"
traced "xiw_cm_event: $of_a event=close status=0 local=$from remote=$to"
traced "xiw_terminate: stream=$QPN_B sent 1/1/0x00"
traced "xiw_terminate: stream=$QPN received 1/1/0x00"

if grep -q hist "$EVENTS/xiw_fpdu_tx_batch/trigger"; then
	say "a histogram"
	tee /tmp/hist <"$EVENTS/xiw_fpdu_tx_batch/hist"
	grep -q 'fpdus: ~ 2^0 .*hitcount: *[1-9]' /tmp/hist || fail "no batch of one FPDU"
	echo '!hist:keys=fpdus.log2' >"$EVENTS/xiw_fpdu_tx_batch/trigger"
fi

say "a Send that waits for a receive is processed again, but traced once"
configure park-time=30s
xt_listen
xt_join
echo >"$TRACING/trace"
echo 1 >"$EVENTS/xiw_fpdu_rx/enable"
xt a post op=send buf=m len=1000 n=4
for _ in 1 2 3 4; do
	wait_parked 1
	xt b recv "ep=$EP_B" buf=m len=1000
	xt_wc SUCCESS b wc "ep=$EP_B"
done
xt a wcall n=4
echo 0 >"$EVENTS/enable"
equal "Sends in the trace" 4 "$(grep -c 'xiw_fpdu_rx: .* rdmap=0x43 ' "$TRACING/trace")"
xt a close ep=all
xt b wait "ep=$EP_B" state=disconnected
xt b close ep=all

say "a filter"
echo "stream == $((QPN_B + 1000))" >"$EVENTS/xiw_fpdu_rx/filter"
echo >"$TRACING/trace"
echo 1 >"$EVENTS/xiw_fpdu_rx/enable"
xt_listen
xt_join
xt_wc SUCCESS a wr op=write buf=m len=8192
xt a close ep=all
xt b wait "ep=$EP_B" state=disconnected
xt b close ep=all
echo 0 >"$EVENTS/enable"
! grep -q xiw_fpdu_rx: "$TRACING/trace" || fail "the filter lets all through"
echo 0 >"$EVENTS/xiw_fpdu_rx/filter"
echo >"$TRACING/trace"

xiw_clean
