# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# `rdma statistic qp` binds QPs to counters, manually or by a rule. A counter counts messages from
# the time of binding. The counters of the port count each message once, whether a QP is bound or
# not.
# topology: one netns
# kernels: all
# rnic: soft pci
# timeout: 120
# shellcheck shell=bash

# stat_of SIDE NAME: prints the counter NAME of the port of SIDE, as rdma shows it
stat_of() { on_"$1" rdma -j statistic show link "$(rd_of "$1")/1" | jq ".[0].$2"; }
# bound SIDE: prints, as JSON, the counters on the port of SIDE that have at least one bound QP
bound() { on_"$1" rdma -j statistic qp show link "$(rd_of "$1")/1" | jq -c .; }
# port_is SIDE WANTED NAME WAS: checks that the counter NAME of the port of SIDE has grown from WAS
# by WANTED
port_is()
{
	local now
	now=$(stat_of "$1" "$3")
	equal "$1: $3 of the port" "$2" $((now - $4))
}
# writes N, reads N: run N Writes or N Reads on side a
writes() { for _ in $(seq "$1"); do xt_wc SUCCESS a wr op=write buf=m len=100; done; }
reads() { for _ in $(seq "$1"); do xt_wc SUCCESS a wr op=read buf=m off=4M len=64; done; }

xt_up
xt_pair
xt_listen
xt_join
PORT_A=$(rd_of a)/1 PORT_B=$(rd_of b)/1
QPN=$(told a '.connections[] | select(.qpn != null) | .qpn' conn "$(rd_of a)")
QPN_B=$(told b '.connections[] | select(.qpn != null) | .qpn' conn "$(rd_of b)")
TX=$(stat_of a tx_write) READS=$(stat_of a rx_read_response) RX=$(stat_of b rx_write_requests)
writes 2

say "by hand"
expect "bind a's" on_a rdma statistic qp bind link "$PORT_A" lqpn "$QPN"
expect "bind b's" on_b rdma statistic qp bind link "$PORT_B" lqpn "$QPN_B"
refuse "the same one twice" on_a rdma statistic qp bind link "$PORT_A" lqpn "$QPN"
refuse "a QP that is not there" on_a rdma statistic qp bind link "$PORT_A" lqpn 65000
refuse "a rule beside it" on_a rdma statistic qp set link "$PORT_A" auto type on
writes 3
reads 4
say "$(bound a) $(bound b)"
equal "from then on: a" '[1,3,4,4]' \
	"$(bound a | jq -c '[length, .[0].tx_write, .[0].tx_read_request, .[0].rx_read_response]')"
equal "from then on: b" '[3,4]' \
	"$(bound b | jq -c '.[0] | [.rx_write_requests, .tx_read_response]')"
equal "nothing that is not known by QP" null "$(bound a | jq '.[0].tx_batches')"
port_is a 5 tx_write "$TX"
port_is b 5 rx_write_requests "$RX"
port_is a 4 rx_read_response "$READS"
CNTN=$(bound a | jq '.[0].cntn')
refuse "another counter's" on_a rdma statistic qp unbind link "$PORT_A" cntn $((CNTN + 1)) lqpn "$QPN"
writes 1
expect "unbind" on_a rdma statistic qp unbind link "$PORT_A" cntn "$CNTN" lqpn "$QPN"
equal "no counter" 0 "$(bound a | jq length)"
writes 2
# When a later Read has completed, side b has counted the Writes.
xt_wc SUCCESS a wr op=read buf=m len=0
port_is a 8 tx_write "$TX"
port_is b 8 rx_write_requests "$RX"
# In topology netns, do not compare with sysfs: /sys belongs to the initial namespace, and does not
# show the device.
[ "$TOPOLOGY" = netns ] || equal "sysfs says the same" "$(stat_of a tx_write)" \
	"$(on_a cat "/sys/class/infiniband/$(rd_of a)/ports/1/hw_counters/tx_write")"
told_is a "$(stat_of a tx_write)" '.counters[0].operations[] | select(.opcode == 0) | .sent' \
	stat "$(rd_of a)"

say "again, and the connection ends while it is bound"
expect "bind" on_a rdma statistic qp bind link "$PORT_A" lqpn "$QPN"
writes 4
xt_part
port_is a 12 tx_write "$TX"
port_is b 12 rx_write_requests "$RX"
xt b close ep=all
equal "no counter stays" '0 0' "$(bound a | jq length) $(bound b | jq length)"
port_is b 12 rx_write_requests "$RX"

if [ "$RNIC" = soft ]; then
	say "by a rule: each process its own"
	expect "a provider" user_provider
	expect "auto" on_b rdma statistic qp set link "$PORT_B" auto pid,type on
	on_b rdma statistic qp mode link "$PORT_B" | grep -q auto || fail "no mode auto"
	SENT=$(stat_of b tx_write)
	ADDRESS=$IP_B
	server_up 7200 rping -s -a "$IP_B" -p 7200 -C 20 -S 1000
	on_a rping -c -a "$IP_B" -p 7200 -C 20 -S 1000 || fail "rping: status $?"
	server_done
	port_is b 20 tx_write "$SENT"
	equal "no counter stays" 0 "$(bound b | jq length)"
	expect "no rule" on_b rdma statistic qp set link "$PORT_B" auto off
fi
xiw_clean
