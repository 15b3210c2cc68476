# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A router fragments a packet. It sends the fragments through a tunnel whose packets are fragmented
# again. The receiver reassembles twice, and gets an skb whose frag_list has members with a
# frag_list of their own. Short FPDUs begin and end anywhere in this skb. All data arrives, with and
# without CRC.
# topology: netns
# kernels: oldest stable newest rt debug
# rnic: soft
# timeout: 120
# shellcheck shell=bash

# The router r forwards packets to side b through the tunnel "nest".
router_up
ip link add below netns r type veth peer name below netns b
on_r ip addr add 10.12.0.1/24 dev below
on_b ip addr add 10.12.0.2/24 dev below
on_r ip link add nest type ipip local 10.12.0.1 remote 10.12.0.2 nopmtudisc
on_b ip link add nest type ipip local 10.12.0.2 remote 10.12.0.1
for side in r b; do
	on_$side ip link set below mtu 400 up
	on_$side ip link set nest mtu 1000 up
done
on_b sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.nest.rp_filter=0
on_r ip route replace $IP_B dev nest
# Let side a send packets without DF, so that the router fragments them.
on_a sysctl -qw net.ipv4.ip_no_pmtu_disc=1
on_a ethtool -K "$DEV_A" tso off gso off >/dev/null
wait_for 10 on_a ping -c 1 -W 1 -M dont -s 1400 $IP_B || fail "no way through the tunnel"

# reassembled: prints how many packets side b has reassembled
reassembled() { on_b nstat -asz IpReasmOKs | awk '/IpReasmOKs/ { print $2 }'; }

xt_up
xt_pair
for crc in on off; do
	say "crc=$crc"
	configure crc=$crc
	before=$(reassembled)
	xt_listen rq=256
	xt_join sq=256
	for length in 1 17 64 300; do
		xt a run "ep=$EP_A" op=write buf=m off=4M len=$length qd=64 count=2000 verify=1
	done
	xt b sink "ep=$EP_B" n=128 len=64 off=2M verify=1
	xt a run "ep=$EP_A" op=send buf=m off=4M len=64 qd=64 count=2000 verify=1
	xt_sunk b "$EP_B" messages 2000
	xt a run "ep=$EP_A" op=write buf=m off=4M len=100001 qd=4 count=20 verify=1
	xt_part
	xt b close ep=all
	say "$(($(reassembled) - before)) packets reassembled"
	(($(reassembled) > before + 100)) || fail "IP has reassembled too little"
done
xiw_clean
