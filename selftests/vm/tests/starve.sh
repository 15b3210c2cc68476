# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A message finds no receive, and its stream waits for a limited time. The stream continues if a
# receive is posted in this time. Otherwise, the stream ends with the Terminate 1/2/0x02
# (layer/type/code; DEC-62). If several streams wait for receives of a shared queue, they get the
# receives in turn.
# topology: one netns
# kernels: all
# timeout: 150
# shellcheck shell=bash

xt_up
xt_pair

# sends N [KEY=VALUE...]: posts N Sends of 3000 octets on side a; the first one is at offset 64 KiB
# of the buffer
sends() { xt a post op=send buf=m off=64K len=3000 "n=$1" "${@:2}"; }
# arrived EP N: checks that exactly N messages have arrived at endpoint EP of side b
arrived()
{
	xt b wcall "ep=$1" "n=$2"
	xt_is n "$2"
	[ "$2" = 0 ] || xt_is SUCCESS "$2"
}
# receives KEY=VALUE...: posts receives of 3000 octets on side b, 4 KiB apart; received_is N: checks
# the data of the first N of these receives
receives() { xt b recv buf=m off=2M stride=4096 len=3000 "$@"; }
received_is()
{
	local i
	for ((i = 0; i < $1; i++)); do
		xt b check buf=m "off=$((0x200000 + i * 4096))" len=3000 seed=7 pos=64K
	done
}

xt a fill buf=m len=1M seed=7
configure park-time=30s

say "receives in time: nothing is lost, and later messages wait, too"
xt_listen
xt_join
sends 5
xt a post op=read buf=m off=4M len=5000
wait_parked 1
told_is b '[true]' '[.connections[] | select(.role == "responder") | .parked]' conn "$RD_B"
xt a wcall n=5
xt_is SUCCESS 5
xt_err ETIMEDOUT a wc timeout=300
receives "ep=$EP_B" n=2
arrived "$EP_B" 2
wait_parked 1
xt_err ETIMEDOUT b wc "ep=$EP_B" timeout=300
receives "ep=$EP_B" n=3
arrived "$EP_B" 3
xt_wc SUCCESS a wc
xt_is op RDMA_READ
wait_parked 0
received_is 3
[ "$(counter b parks)" -ge 2 ] || fail "parked $(counter b parks) times"
equal "times given up" 0 "$(counter b park_timeouts)"

say "one receive at a time"
xt b sink "ep=$EP_B" n=1 len=5000 off=2M verify=1
xt a run "ep=$EP_A" op=send buf=m off=4M len=5000 qd=16 count=400 verify=1
xt a wr op=read buf=m off=4M len=8
xt_sunk b "$EP_B" messages 400
xt_part

say "Immediates wait like Sends; what was written before them is there"
xt_join
xt a post op=write_imm buf=m off=64K len=3000 imm=1
xt a post op=write_imm len=0 imm=2 se=1
xt a post op=read buf=m off=4M len=3000
xt a wcall n=2
xt_is SUCCESS 2
wait_parked 1
xt b check buf=m len=3000 seed=7 pos=64K
xt_err ETIMEDOUT a wc timeout=300
for imm in 3000 0; do
	xt b recv "ep=$EP_B" len=0
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_is op RECV_RDMA_WITH_IMM
	xt_is byte_len $imm
done
xt_wc SUCCESS a wc
xt_is op RDMA_READ
wait_parked 0
xt_part

# ended TIMEOUTS TERMINATES: checks that side b has ended the connection with a Terminate and that
# both sides report this. TIMEOUTS and TERMINATES: values that the counters of timeouts and
# Terminates must have
ended()
{
	xt a wait "ep=$EP_A" state=disconnected
	xt b wait "ep=$EP_B" state=disconnected
	xt a query "ep=$EP_A"
	xt_is qp_state ERR
	xt_is qp_events QP_REQ_ERR
	xt b query "ep=$EP_B"
	xt_is qp_state ERR
	xt_is qp_events QP_REQ_ERR
	equal "times given up" "$1" "$(counter b park_timeouts)"
	equal "Terminates sent" "$2" "$(counter b terminates_sent)"
	equal "Terminates received" "$2" "$(counter a terminates_received)"
	wait_parked 0
	xt b recv "ep=$EP_B" len=0
	xt_wc WR_FLUSH_ERR b wc "ep=$EP_B"
}

say "no receive in time: what has completed stays so, the rest flushes"
configure park-time=700ms
xt_join
start=$(now_ms)
sends 1
xt a post op=read buf=m off=4M len=5000
xt_wc SUCCESS a wc
xt_wc WR_FLUSH_ERR a wc
took=$(($(now_ms) - start))
[ "$took" -ge 600 ] || fail "it waited for $took ms"
[ "$took" -lt $((8000 * PATIENCE)) ] || fail "it took $took ms"
ended 1 1
xt_part

say "a Send that has not completed yet fails with RNR_RETRY_EXC_ERR"
# Allow 16 SGEs, because the memory of the message may be in small pieces.
xt_join sge=16
xt a post op=send buf=m len=4M more=1
xt a post op=write buf=m len=100
xt_wc RNR_RETRY_EXC_ERR a wc
xt_is vendor_err 0x10202
xt_wc WR_FLUSH_ERR a wc
ended 2 2
xt_part

say "an Immediate that waits in vain"
xt_join
xt b fill buf=m len=4096 byte=170
xt a post op=write_imm buf=m off=64K len=3000 imm=1
xt a post op=fetchadd add=1
xt_wc SUCCESS a wc
xt_wc WR_FLUSH_ERR a wc
ended 3 3
# The Write has been placed, and the Atomic was not executed.
xt b check buf=m len=3000 seed=7 pos=64K
xt b check buf=m off=3000 len=1096 byte=170
xt_part

say "no waiting at all"
configure park-time=0
xt_join
sends 1
ended 3 4
xt_part
xt b close ep=all

# three: makes three connections. Sets $first to their lowest endpoint number on side a, and $last
# to their highest endpoint number on side b
three()
{
	local i
	for i in 1 2 3; do
		xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0
		[ $i -ne 1 ] || first=${XT[ep]}
		xt b wait ep=all state=ready n=$i
		last=${XT[ep]}
	done
}

say "three streams wait at one shared queue, each gets its turn"
configure park-time=30s
xt b listen "addr=$IP_B" "port=$XT_PORT" srq=1 srq_max=64
LISTENER=${XT[ep]}
three
for i in 0 1 2; do
	sends 3 "ep=$((first + i))"
	wait_parked $((i + 1))
done
for i in 1 2 3; do
	receives "ep=$LISTENER" srq=1
	# Receives go to the waiting streams in the order in which the streams began to wait. So
	# each stream gets one of these receives, and waits again.
	wait_parked 3
done
for ((i = last - 2; i <= last; i++)); do arrived $i 1; done
xt b srq "ep=$LISTENER" limit=3
receives "ep=$LISTENER" srq=1 n=3
for ((i = last - 2; i <= last; i++)); do arrived $i 1; done
wait_parked 3
limited() { xt b srq "ep=$LISTENER" && [ "${XT[limit_events]}" = 1 ] && [ "${XT[limit]}" = 0 ]; }
wait_for 10 limited || fail "limit events: ${XT[0]}"
receives "ep=$LISTENER" srq=1 n=3
for ((i = last - 2; i <= last; i++)); do arrived $i 1; done
wait_parked 0
received_is 3

say "a stream with many messages does not take the receive of a stream with one"
sends 40 "ep=$first"
wait_parked 1
sends 1 "ep=$((first + 1))"
wait_parked 2
for i in 1 2; do
	receives "ep=$LISTENER" srq=1
done
arrived $((last - 1)) 1
arrived $((last - 2)) 1
receives "ep=$LISTENER" srq=1 n=39
arrived $((last - 2)) 39
wait_parked 0
xt a close ep=all
xt b wait "ep=$((last - 2))-$last" state=disconnected n=3
xt b close "ep=$((last - 2))-$last"

say "streams that waited in vain leave the shared queue as it was"
configure park-time=700ms
three
sends 1 "ep=$first"
sends 1 "ep=$((first + 1))"
xt a wait "ep=$first-$((first + 1))" state=disconnected n=2
xt b wait "ep=$((last - 2))-$((last - 1))" state=disconnected n=2
xt b query "ep=$((last - 2))"
[[ ${XT[qp_events]} == *QP_LAST_WQE_REACHED* ]] || fail "events of a QP: ${XT[qp_events]}"
wait_parked 0
receives "ep=$LISTENER" srq=1 n=2
sends 2 "ep=$((first + 2))"
arrived "$last" 2
received_is 2
xt a close ep=all
xt b wait "ep=$last" state=disconnected
xt b close ep=all
xiw_clean
