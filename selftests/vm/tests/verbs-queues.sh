# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Work requests are executed in order and end correctly. The test covers fences [I-ORD-004], ORD 1
# in both directions, shared receive queues and their limit, drain and flush, and all ways to poll a
# CQ. [R-SEC-022] [S-REM-014]
# topology: one
# kernels: all
# timeout: 240
# shellcheck shell=bash

xt_up
xt_pair

say "a Read with a fence behind it, posted in one go: 50 times"
xt_listen
xt_join
xt b fill buf=m len=1M seed=11
for ((i = 0; i < 50; i++)); do
	# The source of the Write is the sink of the Read. Without the fence, the Write may leave
	# before the response arrives.
	xt a fill buf=m off=4M len=64K byte=238
	xt a post op=read buf=m off=4M len=64K roff=64K more=1 signal=0
	xt_wc SUCCESS a wr op=write buf=m off=4M len=64K roff=512K fence=1
	xt_wc SUCCESS a wr op=read buf=m off=6M len=64 roff=512K
	xt b check buf=m off=512K len=64K seed=11 pos=64K
done
xt a query "ep=$EP_A"
xt_is misordered 0
xt_part
xt b close ep=all

say "ORD 1 and IRD 1, reads both ways at once, and twenty deep"
xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=512K ord=1 ird=1
xt a connect "addr=$IP_B" "port=$XT_PORT" export=m export_len=512K ord=1 ird=1
EP_A=${XT[ep]}
xt b wait ep=all state=ready
EP_B=${XT[ep]}
xt a query "ep=$EP_A"
xt_is ord 1
xt b query "ep=$EP_B"
xt_is ord 1
xt a fill buf=m len=512K seed=13
xt b fill buf=m len=512K seed=14
xt_start a run "ep=$EP_A" op=read buf=m off=2M len=20000 qd=20 count=200 verify=1 seed=14
xt b run "ep=$EP_B" op=read buf=m off=2M len=20000 qd=20 count=200 verify=1 seed=13
xt_ends a '^status=ok'
if [ "$(xt_type)" != siw ]; then
	xt_start a run "ep=$EP_A" op=fetchadd buf=m off=2M qd=20 count=300
	xt b run "ep=$EP_B" op=fetchadd buf=m off=2M qd=20 count=300
	xt_ends a '^status=ok'
fi
xt_part
xt b close ep=all

say "shared receive queue and its limit"
xt b listen "addr=$IP_B" "port=$XT_PORT" srq=1 srq_max=32
LISTENER=${XT[ep]}
xt b recv "ep=$LISTENER" srq=1 n=8 buf=m off=2M len=4096
xt b srq "ep=$LISTENER" limit=5
xt_is limit_events 0
# Connect one after the other, so that both sides number the connections in the same order.
first=
for i in 1 2; do
	xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0
	first=${first:-${XT[ep]}}
	xt b wait ep=all state=ready n=$i
done
last=${XT[ep]}
xt a fill buf=m len=4096 seed=15
for i in 0 1 0; do xt_wc SUCCESS a wr "ep=$((first + i))" op=send buf=m len=1000; done
xt b wcall "ep=$((last - 1))" n=2
xt_is SUCCESS 2
xt b wcall "ep=$last" n=1
xt_is SUCCESS 1
# xiw conn shows how many Sends each connection of side b has received. Each Send has used one
# shared receive.
[ "$(xt_type)" != xiw ] || told_is b '[1,2]' '[.connections[] | select(.role == "responder") |
	.operations[] | select(.operation == "Send").received] | sort' conn "$(rd_of b)"
xt b srq "ep=$LISTENER"
xt_is limit_events 0
for i in 0 1 0; do xt_wc SUCCESS a wr "ep=$((first + i))" op=send buf=m len=1000; done
limit_seen() { xt b srq "ep=$LISTENER" && [ "${XT[limit_events]}" -eq 1 ]; }
wait_for 10 limit_seen || fail "no limit event: ${XT[0]}"
for i in 0 1; do xt_wc SUCCESS a wr "ep=$((first + i))" op=send buf=m len=1000; done
xt b wcall "ep=$((last - 1))" n=3
xt_is SUCCESS 3
xt b wcall "ep=$last" n=2
xt_is SUCCESS 2
limit_seen || fail "the limit event came twice"
for i in 0 1 2 3 4 5 6 7; do xt b check buf=m "off=$((0x200000 + i * 4096))" len=1000 seed=15 pos=0; done
xt a close ep=all
xt b wait "ep=$((last - 1))-$last" state=disconnected n=2
xt b close ep=all

for poll in softirq workqueue unbound direct; do
	say "drain and flush, CQs polled by $poll"
	xt_listen poll=$poll split=1
	xt_join poll=$poll split=1
	xt b sink "ep=$EP_B" n=8 len=4096 off=2M verify=1
	xt b recv "ep=$EP_B" buf=m off=3M len=4096 n=10
	xt a run "ep=$EP_A" op=write buf=m off=4M len=4096 qd=8 count=50 verify=1
	xt a recv "ep=$EP_A" buf=m off=5M len=4096 n=10
	xt a drain "ep=$EP_A"
	xt a wcall "ep=$EP_A"
	xt_is n 10
	xt_is WR_FLUSH_ERR 10
	xt a query "ep=$EP_A"
	xt_is qp_state ERR
	# a QP in error accepts work and flushes it
	xt a post "ep=$EP_A" op=write buf=m len=64 n=5
	xt a recv "ep=$EP_A" buf=m off=5M len=64 n=5
	xt a wcall "ep=$EP_A" n=10
	xt_is WR_FLUSH_ERR 10
	xt a query "ep=$EP_A"
	xt_is misordered 0
	xt a drain "ep=$EP_A" q=send
	xt a drain "ep=$EP_A" q=recv
	xt_ended
	xt_part
	xt b close ep=all
done

say "what is posted in error is flushed, although the stream could still send it"
xt_listen
for i in 1 2 3; do
	xt_join
	xt a post "ep=$EP_A" op=write buf=m len=64 signal=0 abort=1
	xt a wc "ep=$EP_A" q=send
	xt_is wc WR_FLUSH_ERR
	xt_ended
	xt_part
done
xt b close ep=all

say "refused: what the QP cannot take"
xt_listen
xt_join sge=2 sq=4
for op in 0x55 lso bind_mw; do
	! xt_try a wr op=$op buf=m len=8 || [ "${XT[wc]}" != SUCCESS ] || fail "$op went through"
	xt a query "ep=$EP_A"
	[ "${XT[qp_state]}" = RTS ] || xt_rejoin sge=2 sq=4
done
! xt_try a wr op=send buf=m len=4096 inline=1 || fail "4096 octets inline: ${XT[0]}"
xt a query "ep=$EP_A"
xt_is qp_state RTS
xt_part
xt b close ep=all

say "100 QPs are destroyed about as fast as they connect"
# destroyed_fast: connects 100 QPs, and destroys them. Succeeds if the destruction takes less than 5
# times as long as the connects. If the driver waits for an RCU grace period for each QP, the
# destruction takes 34 times as long as the connects (on User-Mode Linux with two CPUs).
destroyed_fast() {
	local begun connected closed
	xt_listen backlog=128
	begun=${EPOCHREALTIME/./}
	xt a connect "addr=$IP_B" "port=$XT_PORT" n=100
	xt b wait ep=all state=ready n=100
	connected=${EPOCHREALTIME/./}
	xt a close ep=all
	closed=${EPOCHREALTIME/./}
	xt b close ep=all
	say "connected in $((connected - begun)) us, destroyed in $((closed - connected)) us"
	[ $((closed - connected)) -lt $((5 * (connected - begun))) ]
}
# The host may take the CPU away while the QPs are destroyed, so try up to five times.
for ((i = 1; ; i++)); do
	! destroyed_fast || break
	[ $i -lt 5 ] || fail "100 QPs are destroyed slowly, $i times out of $i"
done
xt_clean a
xt_clean b
