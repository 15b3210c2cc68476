# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A CQ handler of side b that "sleeps": it keeps its CPU busy for up to nine seconds. The driver
# calls the handler while it polls the event ring of a vector. So a handler that sleeps on CPU 0
# stops this poll, and CPU 1 can fill the ring of 1024 events.
# shellcheck shell=bash

# sleeper_up: connects session c to a listener of side b whose CQ handler sleeps. Sets SLEEPER to
# the endpoint of side b.
sleeper_up()
{
	say "a consumer of events that sleeps"
	xt b listen "addr=$IP_B" port=7307 hello=0 poll=event split=1 vector=0 slow=9000
	xt_open c a
	xt c buf name=m size=64K
	xt c connect "addr=$IP_B" port=7307 hello=0
	xt b wait ep=all state=ready
	SLEEPER=${XT[ep]}
	xt b recv "ep=$SLEEPER" buf=m len=8 n=2
	xt b arm "ep=$SLEEPER" q=recv
}

# sleeper_asleep BEFORE: succeeds if side b has received more than BEFORE Sends. With the software
# RNIC, the function starts no process, because that would take too long. A PCIe RNIC reports its
# counters by an event, and the event would wait for the sleeping handler. So with a PCIe RNIC, the
# function only checks that a connection has received octets.
sleeper_asleep()
{
	if rnic_pci; then
		[ "$(told b '[.connections[].rx_bytes // 0] | max' conn)" -gt 0 ]
	else
		[ "$(<"/sys/class/infiniband/$RD_B/ports/1/hw_counters/rx_send")" -gt "$1" ]
	fi
}

# sleeper_sleeps: moves this shell to CPU 1, sends a message from CPU 0, and waits until the message
# arrives
sleeper_sleeps()
{
	local before
	before=$(<"/sys/class/infiniband/$RD_B/ports/1/hw_counters/rx_send")
	taskset -pc 1 $BASHPID >/dev/null
	# shellcheck disable=SC2016
	taskset -c 0 bash -c 'printf "post op=send buf=m len=8\n" >&"$1"' - "${XT_FD[c]}" &
	wait_for 10 sleeper_asleep "$before" || fail "the message did not come"
}

# sleeper_wakes: with the software RNIC, wakes the handler; with a PCIe RNIC, the handler wakes by
# itself. Waits for the end of session c's command, and lets this shell run on all CPUs.
sleeper_wakes()
{
	rnic_pci || echo wake >/dev/xiw_test
	read -r -t $((20 * PATIENCE)) -u "${XT_FD[c]}" _ || fail "the sleeper does not wake"
	taskset -pc 0-$(($(nproc) - 1)) $BASHPID >/dev/null
}
