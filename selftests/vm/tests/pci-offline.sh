# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# When the CPU of a vector goes offline, the interrupt of the vector moves to another CPU, and
# events are handled as fast as before. Without an interrupt, only the health check would find
# events, once per second. The administrator may also move an interrupt.
#
#   lab run --rnic pci --cpus 4 pci-offline
#
# topology: one
# kernels: all
# rnic: pci
# timeout: 240
# shellcheck shell=bash

COUNT=200	# sequential Reads; if each waited for a health check, they would take minutes
LIMIT=40	# limit for COUNT Reads, in seconds

# irqs: prints the interrupts of FUNCTION, one on each line
irqs() { sed -n "s/^ *\([0-9]*\):.*xiw-[0-9]*@pci:$FUNCTION\$/\1/p" /proc/interrupts; }

# swift WHAT: runs COUNT Reads over each endpoint, and checks that they end within LIMIT seconds.
# This shows that no vector waits for the health check. WHAT: text for the log
swift()
{
	local ep start took
	for ep in "${EPS[@]}"; do
		start=$(now_ms)
		xt a run "ep=$ep" op=read buf=m off=4M len=64 qd=1 count=$COUNT \
			timeout=$((LIMIT * 1000))
		took=$(($(now_ms) - start))
		say "$1: $COUNT Reads of endpoint $ep took $took ms"
	done
}

# octets: prints how many octets of Writes side b has received; moving() calls this function. Each
# Write has 4096 octets
octets()
{
	rdma -j statistic show link "$RD_B/1" | jq '.[0].rx_write_requests * 4096'
}

function_up
LAST=$(($(nproc --all) - 1))
[ "$LAST" -gt 0 ] || skip "a second CPU"
# cpu 0|1: sets the last CPU offline or online
cpu() { echo "$1" >"/sys/devices/system/cpu/cpu$LAST/online"; }
mapfile -t IRQS < <(irqs)
equal "vectors" $((LAST + 1)) ${#IRQS[@]}
affinities() { for irq in "${IRQS[@]}"; do cat "/proc/irq/$irq/smp_affinity_list"; done; }
say "interrupts: ${IRQS[*]}, CPUs: $(affinities | xargs)"
equal "CPUs that have one" $((LAST + 1)) "$(affinities | sort -u | wc -l)"

say "an endpoint on each vector"
xt_listen
EPS=()
for ((vector = 0; vector <= LAST; vector++)); do
	xt a connect "addr=$IP_B" "port=$XT_PORT" vector=$vector
	EPS+=("${XT[ep]}")
done
xt b wait ep=all state=ready n=$((LAST + 1))
swift "before"

say "CPU $LAST goes offline under traffic"
xt a run ep=all op=write buf=m off=4M len=4096 qd=8 count=8
xt_start a run ep=all op=write buf=m off=4M len=4096 qd=8 "${XT_ENDLESS[@]}"
BEFORE=$(octets)
wait_for 20 moving || fail "nothing moves"
expect "offline" cpu 0
BEFORE=$(octets)
wait_for 20 moving || fail "nothing moves any more"
xt_halt
xt_ends a '^status=ok'
swift "offline"

say "and comes back"
expect "online" cpu 1
swift "online"

say "an interrupt is moved by hand"
for irq in "${IRQS[@]}"; do
	expect "move" to "/proc/irq/$irq/smp_affinity_list" 0
done
swift "moved"
xt a close ep=all
xt b close ep=all
