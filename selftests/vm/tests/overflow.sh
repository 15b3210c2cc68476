# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A completion for a full CQ does not overwrite an entry. The CQ reports CQ_ERR, and its QPs end. A
# full event ring between RNIC and driver stalls the RNIC. No event is lost, however late the
# consumer is. [R-SEC-012] [S-REM-022]
# topology: one
# kernels: all
# cpus: 2
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair

# cq_error SIDE EP: succeeds if a CQ of the endpoint has reported CQ_ERR and the QP is in error
cq_error() { xt "$1" query "ep=$2" && [ "${XT[cq_errors]}" = 1 ] && [ "${XT[qp_state]}" = ERR ]; }

say "a receive CQ of 16 gets 20 messages"
xt_listen hello=0 poll=event split=1 cqe=16
xt_join hello=0
xt b recv "ep=$EP_B" buf=m off=2M len=100 n=24
xt a fill buf=m len=100 seed=5
xt a post "ep=$EP_A" op=send buf=m len=100 n=16
xt a wcall n=16
xt_is SUCCESS 16
full() { xt b query "ep=$EP_B" && [ "$(counter b rx_send)" -ge "$1" ]; }
wait_for 10 full 16 || fail "16 messages did not come"
xt b query "ep=$EP_B"
xt_is cq_errors 0
xt_is qp_state RTS
xt a post "ep=$EP_A" op=send buf=m len=100 n=4
wait_for 10 cq_error b "$EP_B" || fail "no CQ_ERR: ${XT[0]}"
xt b wait "ep=$EP_B" state=disconnected
xt a wait "ep=$EP_A" state=disconnected
for ((i = 1; i <= 16; i++)); do
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_is id $i
	xt_is byte_len 100
done
for ((i = 0; i < 16; i++)); do xt b check buf=m "off=$((0x200000 + i * 100))" len=100 seed=5 pos=0; done
# The completions that did not fit into the CQ are lost. Later work requests are flushed, and the CQ
# has room for their completions now.
xt b wcall "ep=$EP_B"
xt_is n "${XT[WR_FLUSH_ERR]-0}"
xt b recv "ep=$EP_B" buf=m off=2M len=100
id=${XT[id]}
xt_wc WR_FLUSH_ERR b wc "ep=$EP_B"
xt_is id "$id"
xt b query "ep=$EP_B"
xt_is cq_errors 1
equal "overflows counted" 1 "$(counter b cq_overflows)"
xt_part
xt b close ep=all

say "a send CQ of 8 gets 12 completions; another QP of the device goes on"
xt_listen
xt_join
other_a=$EP_A other_b=$EP_B
xt b listen "addr=$IP_B" port=7307 hello=0
xt a connect "addr=$IP_B" port=7307 hello=0 poll=event cqe=8 split=1
EP_A=${XT[ep]}
xt b wait ep=all state=ready n=2
EP_B=${XT[ep]}
xt a post "ep=$EP_A" op=write len=0 n=12
wait_for 10 cq_error a "$EP_A" || fail "no CQ_ERR: ${XT[0]}"
xt a wait "ep=$EP_A" state=disconnected
xt a wcall "ep=$EP_A"
xt_is SUCCESS 8
xt_part
EP_A=$other_a EP_B=$other_b
xt a run "ep=$EP_A" op=write buf=m off=4M len=3000 qd=8 count=16 verify=1
xt_part
xt b close ep=all

MESSAGES=2500
sleeper_up
xt_listen hello=0 rq=2600 vector=0 sink=2560 sink_len=64 sink_off=2M sink_verify=1
# Session c sends to the slow handler, and uses vector 0 of side a. While the handler sleeps on CPU
# 0, this CPU cannot poll vector 0 of either side. So the connection of session a uses vector 1 of
# side a.
xt_join sq=2560 hello=0 vector=1
equal "stalls before" 0 "$(counter b event_stalls)"
# With --rnic mixed, interrupts deliver the frames to side b. received_on CPU: lets CPU handle these
# interrupts. handed_to MASK: makes RPS pass the frames to the CPUs of MASK. CPU 1 handles the
# interrupts. RPS passes the frames to CPU 0 (mask 1), but stops when the slow handler sleeps there.
received_on()
{
	local irq
	for irq in $(sed -n 's/^ *\([0-9]*\):.*virtio[0-9]*-input.*/\1/p' /proc/interrupts); do
		echo "$1" >"/proc/irq/$irq/smp_affinity_list"
	done
}
handed_to() { echo "$1" >"/sys/class/net/$DEV_B/queues/rx-0/rps_cpus"; }
if [ "$RNIC" = mixed ]; then
	received_on 1
	handed_to 1
fi
COUNTERS=/sys/class/infiniband/$RD_B/ports/1/hw_counters
sleeper_sleeps
[ "$RNIC" != mixed ] || handed_to 0
xt_start a run "ep=$EP_A" op=send buf=m off=4M len=64 qd=2560 "count=$MESSAGES" verify=1
stalled() { [ "$(<$COUNTERS/event_stalls)" -gt 0 ]; }
rnic_pci || wait_for 10 stalled || fail "the event ring was never full"
sleeper_wakes
[ "$RNIC" != mixed ] || received_on 0-$(($(nproc) - 1))
xt_ends a '^status=ok'
xt_sunk b "$EP_B" messages $MESSAGES
wait_for 10 stalled || fail "the event ring was never full"
say "stalls: $(counter b event_stalls)"
xt_wc SUCCESS b wc "ep=$SLEEPER"
for ep in "$SLEEPER" "$EP_B"; do
	xt b query "ep=$ep"
	xt_is qp_state RTS
	xt_is misordered 0
done
xt c close ep=all
xt a close ep=all
xt b close ep=all
xt_close c
xiw_clean
