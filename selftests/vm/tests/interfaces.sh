# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Tests devices on several kinds of interfaces. When the interface changes, connections survive or
# end as docs/interfaces.md describes. The changes are: down and up, MTU, addresses, another
# namespace, removal, and unload of the interface's module. For each kind of interface,
# interfaces.tsv has a row with the expected results: "works", or "refused" with a reason. Nothing
# hangs, and no object is left. This test uses a VLAN, and a bond that changes its active port
# during Writes. The test interfaces-long uses all kinds.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 400
# shellcheck shell=bash

: "${KINDS:=vlan bond}"
CELLS="v4 v6 ll down mtu address netns unplug unload"
K4_A=10.30.0.1 K4_B=10.30.0.2 K6_A=fd00:30::1 K6_B=fd00:30::2
WIRE_A=$DEV_A WIRE_B=$DEV_B
NEXT_PORT=$XT_PORT

# on SIDE CMD...: runs CMD on SIDE, a or b
on() { on_"$1" "${@:2}"; }
wire_of() { case $1 in a) echo "$WIRE_A" ;; *) echo "$WIRE_B" ;; esac; }
ip_of() { case $1 in a) echo "$IP_WIRE_A" ;; *) echo "$IP_WIRE_B" ;; esac; }
other() { case $1 in a) echo b ;; *) echo a ;; esac; }
IP_WIRE_A=$IP_A IP_WIRE_B=$IP_B

# ------------------------------------------------------------------------------ kinds

# KIND_make: makes the interface ka on side a and kb on side b
# KIND_one SIDE: makes the interface of one side
# KIND_self: makes only ka, for connections with both ends on one interface. loopback_self makes
#            nothing, because the interface of this kind is lo.
# KIND_gone: removes what is left when ka and kb have been deleted

# leg NAME: makes a veth pair with the ends NAMEa on side a and NAMEb on side b
leg() { ip link add "$1a" netns a mtu 9200 type veth peer name "$1b" netns b mtu 9200; }
each_side() { local side; for side in a b; do "$@" $side || return; done; }

veth_make() { leg k; }
vlan_one() { on "$1" ip link add link "$(wire_of "$1")" name "k$1" type vlan id 7; }
vlan_make() { each_side vlan_one; }
macvlan_one() { on "$1" ip link add link "$(wire_of "$1")" name "k$1" type macvlan mode bridge; }
macvlan_make() { each_side macvlan_one; }
ipvlan_one() { on "$1" ip link add link "$(wire_of "$1")" name "k$1" type ipvlan mode l2; }
ipvlan_make() { each_side ipvlan_one; }

# ports SIDE: adds the interfaces lSIDE and qSIDE to the interface kSIDE as its ports
ports()
{
	local leg
	for leg in l q; do
		on "$1" ip link set "$leg$1" down && on "$1" ip link set "$leg$1" master "k$1" &&
			on "$1" ip link set "$leg$1" up || return
	done
}
bond_one()
{
	on "$1" ip link add "k$1" type bond mode active-backup miimon 50 && ports "$1"
}
bond_make() { leg l && leg q && each_side bond_one; }
bond_gone() { each_side legs_gone; }
legs_gone() { on "$1" ip link del "l$1"; on "$1" ip link del "q$1"; } 2>/dev/null

# A team has no mode until a program, usually teamd(8), sets one. Here, genl sets the mode
# "roundrobin".
team_one()
{
	local index option
	on "$1" ip link add "k$1" type team || return
	index=$(on "$1" link_value "k$1" ifindex)
	option=$(nl_attr 1 "$(printf mode | od -An -tx1 | tr -d ' \n')00")
	option+=$(nl_attr 3 05)$(nl_attr 4 "$(printf roundrobin | od -An -tx1 | tr -d ' \n')00")
	[ "$(on "$1" /run/guest/genl team ask 1 "1=u32:$index" \
		"$((0x8002))=hex:$(nl_attr $((0x8001)) "$option")")" = messages=0 ] && ports "$1"
}
team_make() { leg l && leg q && each_side team_one; }
team_gone() { bond_gone; }

bridge_one()
{
	on "$1" ip link add "k$1" type bridge forward_delay 0 && on "$1" ip link set "l$1" master "k$1" &&
		on "$1" ip link set "l$1" up
}
bridge_make() { leg l && each_side bridge_one; }
bridge_gone() { on a ip link del la; } 2>/dev/null

dummy_self() { on a ip link add ka type dummy; }
loopback_self() { :; }

tun_one()
{
	local own=$1
	on_"$1" true
	nsenter --net=/run/netns/"$own" /run/guest/tun-relay "k$own" "$(ip_of "$own")" \
		"$(ip_of "$(other "$own")")" 7400 &
	RELAYS+=("$!")
	wait_for 10 on "$own" ip link show "k$own"
}
RELAYS=()
tun_make() { load tun && each_side tun_one; }
tun_gone() { [ ${#RELAYS[@]} = 0 ] || kill "${RELAYS[@]}" || :; RELAYS=(); } 2>/dev/null

wireguard_make()
{
	on a wireguard_up ka a 51820 "$IP_WIRE_B" 51821 && on b wireguard_up kb b 51821 "$IP_WIRE_A" 51820
}
macsec_make()
{
	on a macsec_up ka a "$WIRE_A" "$(on b mac_of "$WIRE_B")" encrypt on &&
		on b macsec_up kb b "$WIRE_B" "$(on a mac_of "$WIRE_A")" encrypt on
}

vrf_one()
{
	on "$1" ip link add vrf type vrf table 10 && on "$1" ip link set vrf up &&
		on "$1" ip link set "k$1" master vrf
}
vrf_make() { leg k && each_side vrf_one; }
vrf_gone() { on a ip link del vrf; on b ip link del vrf; } 2>/dev/null

gre_one()
{
	on "$1" ip link add "k$1" type "$2" local "$(ip_of "$1")" remote "$(ip_of "$(other "$1")")"
}
gre_make() { gre_one a gre && gre_one b gre; }
gretap_make() { gre_one a gretap && gre_one b gretap; }

# module_of KIND: prints the kernel module of KIND, or nothing if KIND has no module or the topology
# of the lab also uses this module
module_of()
{
	case $1 in
	vlan) echo 8021q ;;
	bond) echo bonding ;;
	gre | gretap) echo ip_gre ;;
	veth | loopback) ;;
	*) echo "$1" ;;
	esac
}

# ------------------------------------------------------------------------------ sides

# self: succeeds if both ends of a connection use the same interface of KIND
self() { declare -F "${KIND}_self" >/dev/null; }
exists() { on "$1" ip link show "$2" >/dev/null 2>&1; }

# ready: makes the interfaces of KIND with addresses and devices; sets DEV_A, DEV_B, RD_A, RD_B, IP4
# and IP6
ready()
{
	local side name
	if self; then
		"${KIND}_self" || return
		DEV_A=ka
		[ "$KIND" != loopback ] || DEV_A=lo
		DEV_B=$DEV_A XT_SIDE["b"]=a
		on a ip link set $DEV_A up
		on a ip addr replace $K4_A/24 dev $DEV_A
		on a ip -6 addr replace $K6_A/64 dev $DEV_A nodad
		IP4=$K4_A IP6=$K6_A
	else
		"${KIND}_make" || return
		DEV_A=ka DEV_B=kb XT_SIDE["b"]=b
		on a side_up ka $K4_A $K6_A
		on b side_up kb $K4_B $K6_B
		IP4=$K4_B IP6=$K6_B
		[ "$KIND" = vrf ] || wait_for 20 on a ping -c 1 -W 1 $K4_B || return
	fi
	RD_A=xiwa RD_B=xiwb
	on a rdma_link xiw xiwa $DEV_A || return
	if self; then RD_B=xiwa; else on b rdma_link xiw xiwb kb || return; fi
}

# away: removes what ready() and the functions named cell_CELL have created, and checks that no
# object is left
away()
{
	local side name
	for name in a b; do xt_closed $name; done
	for side in a b; do
		device_gone xiw$side || on $side rdma link del xiw$side || fail "xiw$side stays"
		! exists $side k$side || on $side ip link del k$side
	done
	[ "$KIND" != loopback ] || { on a ip addr del $K4_A/24 dev lo; on a ip addr del $K6_A/64 dev lo; } || :
	! declare -F "${KIND}_gone" >/dev/null || "${KIND}_gone" || :
	xt_clean a
	xt_clean b
}

device_gone() { ! rdma dev show "$1" >/dev/null 2>&1; }

# ------------------------------------------------------------------------------ cells

# cell_CELL: tests one column of interfaces.tsv. Sets GOT to "works", or to "refused" and the reason

# refused WHAT: sets GOT to "refused" and the errno of the exerciser's last answer; WHAT is the
# refused operation
refused()
{
	say "$KIND: $1: ${XT[0]}"
	GOT="refused: ${XT[errno]}"
}

# meets ADDRESS [ADDRESS-OF-A]: makes side b listen at ADDRESS, and connects side a to it.
# ADDRESS-OF-A: the form of this address that side a needs (default ADDRESS). If the listen or the
# connect is refused, sets GOT and returns an error
meets()
{
	IP_B=$1 XT_PORT=$((++NEXT_PORT))
	xt_try b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K ||
		{ refused listen; return 1; }
	xt_try a connect "addr=${2-$1}" "port=$XT_PORT" ||
		{ refused connect; xt b close ep=all; return 1; }
	EP_A=${XT[ep]}
	xt b wait ep=all state=ready
	EP_B=${XT[ep]}
}
parts() { xt_part; xt b close ep=all; }
# writes: writes and compares data over the connection, ends the connection, and sets GOT
writes()
{
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=10 verify=1
	parts
	GOT=works
}

# family ADDRESS: runs all operations over a connection to ADDRESS
family() # ADDRESS
{
	meets "$1" || return 0
	xt_every_op 20000
	writes
}
cell_v4() { family "$IP4"; }
cell_v6() { family "$IP6"; }
# link_local: prints the IPv6 link-local address of side b, or nothing while the kernel still checks
# the address. For an address of another scope, ip prints an empty object.
link_local()
{
	local side=b
	! self || side=a
	on $side ip -j -6 addr show dev "$DEV_B" scope link |
		jq -r '.[].addr_info[]? | select(.tentative | not) | .local // empty'
}
has_link_local() { [ "$(link_local)" ]; }
cell_ll()
{
	local address
	wait_for 10 has_link_local || { GOT="refused: no address"; return 0; }
	address=$(link_local)
	# The zone after % is local to a side, so each side needs the name of its own interface.
	meets "$address%$DEV_B" "$address%$DEV_A" || return 0
	writes
}

# octets: prints the number of octets that side b has received. It replaces the function of the
# library, because side b may be in the namespace of side a.
octets()
{
	told "${XT_SIDE["b"]}" '[.connections[] | select(.role == "responder") | .rx_bytes] | add' \
		conn "$RD_B"
}

# traffic: makes a connection, and starts Writes that last until xt_halt() ends them or the
# connection is lost
traffic()
{
	meets "$IP4" || return
	SEEN=$(octets)
	xt_start a run "ep=$EP_A" op=write buf=m off=4M len=20000 qd=4 "${XT_ENDLESS[@]}"
	wait_for 20 moved 100000 || fail "$KIND: nothing moves"
}
# goes_on: checks that the Writes of traffic() continue, and ends the Writes and the connection
goes_on()
{
	SEEN=$(octets)
	wait_for 30 moved 100000 || fail "$KIND: nothing moves after the change"
	xt_halt
	xt_ends a '^status=ok'
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=10 verify=1
	xt a query "ep=$EP_A"
	xt_is qp_state RTS
	parts
	GOT=works
}
# breaks: checks that the device is gone, and that the connection and the Writes have ended
breaks()
{
	wait_for 30 device_gone xiwa || fail "$KIND: the device stays behind its interface"
	xt_ends a '^status=error'
	xt_closed a b
	xt_clean a
	GOT=works
}

cell_down()
{
	traffic || return 0
	on a ip link set $DEV_A down
	on a ip link set $DEV_A up
	goes_on
}

# mulpdu: prints the MULPDU of side a; mulpdu_is MTU: succeeds if the MULPDU fits MTU and uses most
# of it
mulpdu() { told a '.connections[] | select(.role == "initiator") | .mulpdu' conn "$RD_A"; }
mulpdu_is() { [ "$(mulpdu)" -le $(($1 - 52 - 6)) ] && [ "$(mulpdu)" -ge $(($1 - 52 - 24)) ]; }
cell_mtu()
{
	local mtu first least set=''
	traffic || return 0
	first=$(on a link_value $DEV_A mtu)
	for mtu in 1400 1500 8900 1281 "$first"; do
		on a ip link set $DEV_A mtu $mtu 2>/tmp/mtu.err || { say "MTU $mtu: $(</tmp/mtu.err)"; continue; }
		self || on b ip link set "$DEV_B" mtu $mtu
		set+=" $mtu"
		SEEN=$(octets)
		wait_for 20 moved 100000 || fail "$KIND: nothing moves with MTU $mtu"
		# TCP keeps the MSS of the handshake as a limit, even if the MTU grows later.
		least=$((mtu < first ? mtu : first))
		# Packets to the address of a dummy interface use the loopback interface, which has
		# another MTU.
		[ "$KIND" = dummy ] || wait_for 20 mulpdu_is $least ||
			fail "$KIND: MULPDU $(mulpdu) with MTU $mtu"
	done
	say "MTUs of $KIND:$set"
	on a ip -6 addr replace $K6_A/64 dev $DEV_A nodad
	self || on b ip -6 addr replace $K6_B/64 dev "$DEV_B" nodad
	goes_on
}

cell_address()
{
	local four=$IP4
	traffic || return 0
	on a ip addr add 10.31.0.1/24 dev $DEV_A
	self || on b ip addr add 10.31.0.2/24 dev "$DEV_B"
	on a ip addr del $K4_A/24 dev $DEV_A
	on a ip addr add $K4_A/24 dev $DEV_A
	goes_on
	IP4=10.31.0.2
	! self || IP4=10.31.0.1
	family "$IP4"
	IP4=$four
	on a ip addr del 10.31.0.1/24 dev $DEV_A
}

cell_netns()
{
	traffic || return 0
	if ! on a ip link set $DEV_A netns c 2>/tmp/netns.err; then
		say "$KIND: $(</tmp/netns.err)"
		goes_on
		GOT="refused: kernel"
		return
	fi
	breaks
	expect "a device in its new namespace" nsenter --net=/run/netns/c rdma link add xiwc type xiw \
		netdev $DEV_A
	expect "and no more" nsenter --net=/run/netns/c rdma link del xiwc
	nsenter --net=/run/netns/c ip link del $DEV_A
}

cell_unplug()
{
	traffic || return 0
	if ! on a ip link del $DEV_A 2>/tmp/unplug.err; then
		say "$KIND: $(</tmp/unplug.err)"
		goes_on
		GOT="refused: kernel"
		return
	fi
	breaks
}

cell_unload()
{
	local module
	module=$(module_of "$KIND")
	traffic || return 0
	if [ ! "$module" ] || ! loaded "$module" || ! unload "$module" 2>/tmp/unload.err; then
		say "$KIND: $(cat /tmp/unload.err 2>/dev/null)"
		goes_on
		GOT="refused: in use"
		return
	fi
	breaks
}

# ------------------------------------------------------------------------------ table

# wanted CELL: prints the result that interfaces.tsv has for KIND and CELL
wanted()
{
	awk -F '\t' -v kind="$KIND" -v cell="$1" '
		$1 == "kind" { for (i = 1; i <= NF; i++) column[$i] = i }
		$1 == kind { print $column[cell] }' /lab/in/tests/interfaces.tsv
}

WRONG=()
# result CELL: compares GOT with interfaces.tsv, and appends a difference to WRONG
result() # CELL
{
	local want
	want=$(wanted "$1")
	say "cell $KIND $1: $GOT"
	[ "$GOT" = "$want" ] || WRONG+=("$KIND $1: $GOT instead of ${want:-nothing}")
}

# bond_failover: checks three times that Writes continue when the active port of the bond goes down
bond_failover()
{
	local round port
	traffic || fail "no traffic over the bond"
	for round in 1 2 3; do
		port=$(on a link_value ka linkinfo.info_data.active_slave)
		say "round $round: $port goes down"
		SEEN=$(octets)
		on a ip link set "$port" down
		wait_for 30 moved 100000 || fail "nothing moves without $port"
		on a ip link set "$port" up
	done
	goes_on
}

load xiw_test || fail "no exerciser"
ip netns add c
link_mtu 9200
xt_pair
for KIND in $KINDS; do
	say "== $KIND"
	modules=$(module_of "$KIND")
	[ ! "$modules" ] || have_module "$modules" || { WRONG+=("$KIND: no module"); continue; }
	usable=
	for cell in $CELLS; do
		if [ ! "$usable" ]; then
			if ! ready >/tmp/ready.log 2>&1; then
				cat /tmp/ready.log
				GOT="refused: link"
				result "$cell"
				away
				continue
			fi
			usable=1
		fi
		GOT=
		"cell_$cell"
		result "$cell"
		# The cells netns, unplug and unload may have removed the interface, so make it
		# again.
		case $cell in netns | unplug | unload) away; usable= ;; esac
	done
	if [ "$KIND" = bond ]; then
		say "failover"
		ready || fail "no bond"
		bond_failover
		away
	fi
done
for wrong in "${WRONG[@]}"; do say "$wrong"; done
[ ${#WRONG[@]} = 0 ] || fail "${#WRONG[@]} cells differ from interfaces.tsv"
xt_close a
xt_close b
