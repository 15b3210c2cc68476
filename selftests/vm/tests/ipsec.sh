# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The IPsec policies of the host apply to connections of xiw. If a policy blocks TCP, no segment
# leaves. If the policies of both ends require ESP, every segment is protected. If only the policies
# of side b require ESP, side b accepts no unprotected segment. [S-REM-023]
# topology: netns
# kernels: all
# rnic: soft
# timeout: 180
# shellcheck shell=bash

xt_up
xt_pair

# traffic: makes a connection and compares data in both directions
traffic()
{
	xt_join
	xt_every_op 100000
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=10 verify=1
	xt b fill buf=m len=1M seed=5
	xt a run "ep=$EP_A" op=read buf=m off=4M len=20011 qd=8 count=10 verify=1 seed=5
	xt_part
}

for family in 4 6; do
	[ $family = 4 ] || IP_A=$IP6_A IP_B=$IP6_B
	say "from $IP_A to $IP_B, blocked"
	xt_listen
	expect "a policy" on_a ip xfrm policy add src "$IP_A" dst "$IP_B" proto tcp dir out \
		action block
	# The policy does not block a ping. A ping in the capture shows that the capture works.
	capture blocked.pcap -s 96 tcp or esp or icmp or icmp6
	xt_err EHOSTUNREACH a connect "addr=$IP_B" "port=$XT_PORT"
	expect "a ping" on_a pinged "$IP_B"
	captured
	capture_find blocked.pcap icmp or icmp6
	[ ${#FRAMES[@]} -gt 0 ] || fail "no ping in the capture"
	capture_find blocked.pcap tcp or esp
	equal "segments against the policy" 0 ${#FRAMES[@]}
	expect "no policy" on_a ip xfrm policy flush

	say "neither blocked nor protected"
	capture plain.pcap -s 96 tcp or esp
	traffic
	captured
	capture_find plain.pcap tcp
	[ ${#FRAMES[@]} -gt 20 ] || fail "${#FRAMES[@]} segments"

	say "protected"
	esp_both "$IP_A" "$IP_B"
	capture esp.pcap -s 96 tcp or esp
	traffic
	captured
	capture_find esp.pcap tcp
	equal "segments without protection" 0 ${#FRAMES[@]}
	for from in "$IP_A" "$IP_B"; do
		capture_find esp.pcap esp and src "$from"
		[ ${#FRAMES[@]} -gt 200 ] || fail "${#FRAMES[@]} packets from $from"
	done

	say "unprotected from one end"
	expect "none of a" on_a ip xfrm policy flush
	configure_a startup-time=1s
	xt_err ETIMEDOUT a connect "addr=$IP_B" "port=$XT_PORT"
	configure_a startup-time=10s
	for side in a b; do
		expect "none of $side" on_$side ip xfrm policy flush
		expect "no keys of $side" on_$side ip xfrm state flush
	done
	traffic
	xt b close ep=all
done
xiw_clean
