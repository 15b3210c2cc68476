# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Full rings. A full CQ never overwrites an entry: it reports CQ_ERR, and its QPs end. A full
# event ring between RNIC and driver stalls the RNIC: no event is lost, however late the consumer
# is. [R-SEC-012] [S-REM-022]
# topology: one
# kernels: all
# cpus: 2
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair

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
# lost completions stay lost; later work requests, for which there is room now, are flushed
xt b wcall "ep=$EP_B"
xt_is n "${XT[WR_FLUSH_ERR]-0}"
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

# The handler of a CQ runs in the poll that reads the events of its vector. A slow handler on CPU
# 0 lets CPU 1 fill the ring of 1024.
say "a consumer of events that sleeps"
MESSAGES=2500
xt b listen "addr=$IP_B" port=7307 hello=0 poll=event split=1 vector=0 slow=9000
xt_open c a
xt c buf name=m size=64K
xt c connect "addr=$IP_B" port=7307 hello=0
xt b wait ep=all state=ready
slow=${XT[ep]}
xt b recv "ep=$slow" buf=m len=8 n=2
xt b arm "ep=$slow" q=recv
xt_listen hello=0 rq=2600 vector=0 sink=2560 sink_len=64 sink_off=2M sink_verify=1
# do not use the vector of session c, the peer of the slow handler: its poll also waits on CPU 0
xt_join sq=2560 hello=0 vector=1
equal "stalls before" 0 "$(counter b event_stalls)"
# With --rnic mixed, interrupts deliver the frames to side b, and CPU 1 handles these interrupts.
# RPS passes the frames to CPU 0 (mask 1) only until the slow handler sleeps there.
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
# the check must not start a process, because that takes too long
COUNTERS=/sys/class/infiniband/$RD_B/ports/1/hw_counters
before=$(<$COUNTERS/rx_send)
taskset -pc 1 $BASHPID >/dev/null
# shellcheck disable=SC2016
taskset -c 0 bash -c 'printf "post op=send buf=m len=8\n" >&"$1"' - "${XT_FD[c]}" &
asleep() { [ "$(<$COUNTERS/rx_send)" -gt "$before" ]; }
# The counters of a PCIe RNIC are reported by an event, which would wait for the slow handler.
! rnic_pci || asleep() { [ "$(told b '[.connections[].rx_bytes // 0] | max' conn)" -gt 0 ]; }
wait_for 10 asleep || fail "the message did not come"
[ "$RNIC" != mixed ] || handed_to 0
xt_start a run "ep=$EP_A" op=send buf=m off=4M len=64 qd=2560 "count=$MESSAGES" verify=1
stalled() { [ "$(<$COUNTERS/event_stalls)" -gt 0 ]; }
rnic_pci || wait_for 10 stalled || fail "the event ring was never full"
rnic_pci || echo wake >/dev/xiw_test
read -r -t $((20 * PATIENCE)) -u "${XT_FD[c]}" _ || fail "the sleeper does not wake"
taskset -pc 0-$(($(nproc) - 1)) $BASHPID >/dev/null
[ "$RNIC" != mixed ] || received_on 0-$(($(nproc) - 1))
xt_ends a '^status=ok'
xt_sunk b "$EP_B" messages $MESSAGES
wait_for 10 stalled || fail "the event ring was never full"
say "stalls: $(counter b event_stalls)"
xt_wc SUCCESS b wc "ep=$slow"
for ep in "$slow" "$EP_B"; do
	xt b query "ep=$ep"
	xt_is qp_state RTS
	xt_is misordered 0
done
xt c close ep=all
xt a close ep=all
xt b close ep=all
xt_close c
xiw_clean
