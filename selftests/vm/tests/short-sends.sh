# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Side a ends its QP while TCP has taken only a part of a batch of FPDUs. The rest of the FPDU that
# is partly in TCP is sent, all later FPDUs are dropped, and the Terminate reaches side b. TCP takes
# parts of batches because it limits the octets that it has not sent.
#
# A batch has at most 65,535 octets, even if an skb has room for more. On the kernel uml-debug,
# CONFIG_MAX_SKB_FRAGS=45 gives an skb this room. The batch stores the offset of the end of each
# FPDU in 16 bits, so these offsets would overflow in a longer batch. The RNIC would then drop
# octets that TCP has taken, release pages that the batch does not hold, and so corrupt memory.
# topology: one
# kernels: all
# rnic: soft
# timeout: 180
# shellcheck shell=bash

ROUNDS=6
WRITES=256	# of 1 MiB each

xt_up
xt_pair
LOWAT=$(on_a sysctl -n net.ipv4.tcp_notsent_lowat)
RMEM=$(on_b sysctl -n net.ipv4.tcp_rmem)
expect "limit of octets that are not sent" on_a sysctl -qw net.ipv4.tcp_notsent_lowat=131072
# Let the peer's window limit the traffic to 256 KiB in 10 ms. So TCP always has octets that it has
# not sent, and the Writes take at least 10 seconds.
expect "small window" on_b sysctl -qw net.ipv4.tcp_rmem='4096 131072 262144'
expect "netem" on_a tc qdisc add dev "$DEV_A" root netem delay 10ms limit 100000

SEEN=0
xt_listen
for ((round = 1; round <= ROUNDS; round++)); do
	xt_join sq=$WRITES
	# Do not use the command "run": it would occupy session a, which must end the QP while
	# Writes are outstanding.
	xt a post "ep=$EP_A" op=write buf=m len=1M n=$WRITES
	wait_for 20 moved 1000000 || fail "round $round: nothing moves"
	xt a modify "ep=$EP_A" state=ERR
	xt_ended
	xt a wcall "ep=$EP_A" n=$WRITES
	xt_is n $WRITES
	say "round $round: ${XT[SUCCESS]} Writes have completed"
	[ "${XT[WR_FLUSH_ERR]-0}" -gt 0 ] || fail "round $round: the Writes ended first"
	xt a query "ep=$EP_A"
	xt_is misordered 0
	xt a close "ep=$EP_A"
	xt b close "ep=$EP_B"
	equal "Terminates sent" "$round" "$(counter a terminates_sent)"
	equal "Terminates received" "$round" "$(counter b terminates_received)"
done
xt b close ep=all
frames_sound rx_drops
expect "no netem" on_a tc qdisc del dev "$DEV_A" root
on_b sysctl -qw net.ipv4.tcp_rmem="$RMEM"
on_a sysctl -qw net.ipv4.tcp_notsent_lowat="$LOWAT"
xiw_clean
