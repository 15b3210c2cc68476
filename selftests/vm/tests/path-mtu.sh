# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A router on the path has a smaller MTU than both ends assume, and sends ICMP messages while data
# moves. FPDUs become as small as the path requires, and no data is lost. [M-SIZE-002] [D-LLP-001]
# topology: netns
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

router_up
on_r sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0

# way_mtu MTU_TO_A MTU_TO_B: sets the MTUs of the router towards side a and towards side b
way_mtu()
{
	on_r ip route replace 10.10.0.0/24 dev ra mtu lock "$1"
	on_r ip route replace 10.11.0.0/24 dev rb mtu lock "$2"
	on_r ip -6 route replace fd00:10::/64 dev ra metric 1 mtu lock "$1"
	on_r ip -6 route replace fd00:11::/64 dev rb metric 1 mtu lock "$2"
}

# of SIDE KEY: prints the value KEY of the connection of SIDE, and not that of the listener of side
# b
of() { told "$1" ".connections[] | select(.role != \"listener\").$2" conn "$(rd_of "$1")"; }
mulpdu() { of "$1" mulpdu; }
moves() { [ "$(of "$1" rx_bytes)" -gt $((SEEN + 200000)) ]; }

# fits SIDE SIZE: succeeds if the MULPDU of SIDE is at most SIZE, and at most 20 octets smaller
fits() { [ "$(mulpdu "$1")" -le "$2" ] && [ "$(mulpdu "$1")" -ge $(($2 - 20)) ]; }

# narrows OP TO FROM MTU MTU_TO_A MTU_TO_B: sets the MTUs of the router while side a runs OP, which
# moves data from FROM to TO. Checks that the FPDUs of FROM then fit into MTU
narrows()
{
	SEEN=$(of "$2" rx_bytes)
	xt_start a run "ep=$EP_A" op="$1" buf=m off=4M len=20000 qd=4 "${XT_ENDLESS[@]}"
	wait_for 20 moves "$2" || fail "nothing moves"
	way_mtu "$5" "$6"
	wait_for 10 fits "$3" $(($4 - headers)) || fail "MULPDU of $3: $(mulpdu "$3")"
	xt_halt
	xt_ends a '^status=ok'
}

xt_up
xt_pair
for family in 4 6; do
	say "IPv$family"
	[ $family = 4 ] || IP_B=$IP6_B
	headers=$((family == 4 ? 52 : 72))
	way_mtu 1500 1500
	xt_listen
	xt_join
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=24 verify=1
	full=$(mulpdu a)
	[ "$full" -ge $((1500 - headers - 12)) ] || fail "MULPDU $full before"

	say "the MTU of the path to side b shrinks"
	narrows write b a 1300 1500 1300
	equal "the MULPDU of side b, whose path is unchanged" "$full" "$(mulpdu b)"

	say "the MTU of the path to side a shrinks, under Read Responses"
	narrows read a b 1290 1290 1300

	say "everything arrives whole"
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
	xt b fill buf=m len=1M seed=9
	xt a run "ep=$EP_A" op=read buf=m off=4M len=20011 qd=8 count=40 verify=1 seed=9
	xt_part
	xt b close ep=all
	frames_sound
done
xiw_clean
