# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The two sides of a test, a and b, in one of three topologies:
#   netns  network namespaces a and b, joined by a veth
#   one    both ends of a veth in the first namespace, because not every kernel ULP supports other
#          namespaces. Policy routing makes packets between the addresses of the sides pass through
#          the veth.
#   pair   two guests on one link
# With PCIe RNICs, the interfaces of the RNICs replace the veth or eth0, and namespaces and routes
# work in the same way. A single guest then has one more interface, which is not an RNIC. If side b
# has no RNIC, side b uses this interface; otherwise, the wire peer uses it (IP_PEER).
# shellcheck shell=bash

IP_A=10.10.0.1 IP_B=10.10.0.2 IP6_A=fd00:10::1 IP6_B=fd00:10::2
MGMT_A=169.254.73.1 MGMT_B=169.254.73.2 MGMT_PORT=7306
IP_PEER=$IP_B
export IP_A IP_B IP6_A IP6_B
# shellcheck source=rnic.sh
. "${BASH_SOURCE[0]%/*}/rnic.sh"
case ${TOPOLOGY-}-$RNIC in
pair-soft) DEV_A=eth0 DEV_B=eth0 ;;
pair-pci) DEV_A=rnic0 DEV_B=rnic0 ;;
*-soft) DEV_A=va DEV_B=vb ;;
*-pci) DEV_A=rnic0 DEV_B=rnic1 IP_PEER=10.10.0.3 ;;
*-mixed) DEV_A=rnic0 DEV_B=plain ;;
esac
export DEV_A DEV_B

# basics_up: prepares the network of a guest, once for each boot
basics_up()
{
	ip link set lo up
	if ! grep -qw lab.pair /proc/cmdline; then
		! rnic_pci || { modprobe virtio_net && ip link set eth0 name plain; }
		return
	fi
	modprobe virtio_net
	wait_for 10 links_named
	case $GUEST in
	a) ip addr add $MGMT_A/30 dev mgmt ;;
	b) ip addr add $MGMT_B/30 dev mgmt ;;
	esac
	ip link set mgmt up
	[ "$GUEST" != a ] || wait_for 120 on_guest_b true
}

# links_named: names the interface of the lab's first link "eth0", and that of the second link
# "mgmt"; returns 1 if one of them does not exist yet. It finds them by their MAC addresses, because
# the order of the interfaces differs between machines.
links_named()
{
	local file name first='' second=''
	for file in /sys/class/net/*/address; do
		name=${file%/address} name=${name##*/}
		case $(<"$file") in
		52:54:00:73:01:*) first=$name ;;
		52:54:00:73:02:*) second=$name ;;
		esac
	done
	[ "$first" ] && [ "$second" ] || return
	ip link set "$second" name mgmt
	[ "$first" = eth0 ] || ip link set "$first" name eth0
}

# agent_serve: executes the commands of on_b() in guest b, until the guest ends
agent_serve()
{
	# socat -t: wait for the answer, because the requesting end closes its half of the
	# connection immediately.
	socat -t 86400 "TCP-LISTEN:$MGMT_PORT,bind=$MGMT_B,reuseaddr,fork" EXEC:/run/guest/agent &
	echo $! >/run/agent
	report ready
	wait
}

# on_a CMD..., on_b CMD...: runs CMD, which may be a function of the library, on side a or b. Prints
# the output of CMD, and returns its status. ON_TIMEOUT is the time limit in seconds, 60 by default.
on_a()
{
	if [ "$TOPOLOGY" = netns ]; then on_netns a "$@"; else on_here "$@"; fi
}

on_b()
{
	case $TOPOLOGY in
	netns) on_netns b "$@" ;;
	pair) on_guest_b "$@" ;;
	*) on_here "$@" ;;
	esac
}

# on_here CMD...: runs CMD in this guest and namespace
on_here()
{
	on_call "$1"
	within "${ON_TIMEOUT-60}" "${CALL[@]}" "$@"
}

# on_netns SIDE CMD...: runs CMD in the network namespace of SIDE. It does not use "ip netns exec",
# which hides configfs, debugfs and tracefs.
on_netns()
{
	on_call "$2"
	within "${ON_TIMEOUT-60}" nsenter "--net=/run/netns/$1" "${CALL[@]}" "${@:2}"
}

# on_call CMD: sets CALL to the words that must precede CMD. A program needs none. A function of the
# library needs a shell that reads the library.
on_call()
{
	CALL=()
	if declare -F "$1" >/dev/null || ! type -P "$1" >/dev/null; then CALL=(/run/guest/call); fi
}

# on_guest_b CMD...: makes the script "agent" of guest b run CMD; returns 255 if guest b does not
# answer
on_guest_b()
{
	local line rc=255 held='' first=1
	while IFS= read -r line; do
		if [[ $line =~ ^=rc\ ([0-9]+)$ ]]; then
			rc=${BASH_REMATCH[1]}
			[ -z "$held" ] || printf '%s\n' "$held"
			continue
		fi
		[ -n "$first" ] || printf '%s\n' "$held"
		first='' held=$line
	done < <(
		{
			printf '%q ' env TOPOLOGY=pair timeout -k 2 \
				"$((${ON_TIMEOUT-60} * PATIENCE))" /run/guest/call "$@"
			echo
		} |
			within "$((${ON_TIMEOUT-60} + 10))" \
				socat -t 86400 - "TCP:$MGMT_B:$MGMT_PORT,connect-timeout=10")
	[ "$rc" -ne 255 ] || say "guest b did not answer"
	return "$rc"
}

# b_dies: ends guest b immediately, so that it cannot notify its peers. The lab boots guest b again
# before the next test.
b_dies()
{
	: >/run/b.gone
	b_reset
}

# b_reset: resets guest b, and waits until it no longer answers
b_reset()
{
	# socat -u: do not wait for an answer, because guest b sends none.
	echo 'echo b >/proc/sysrq-trigger' |
		within 10 socat -u - "TCP:$MGMT_B:$MGMT_PORT,connect-timeout=10"
	wait_for 20 b_silent
}

b_silent() { ! ping -c 1 -W 1 "$MGMT_B"; }

# b_again: makes the lab boot guest b; returns 1 if guest b does not answer afterwards
b_again()
{
	report "gone b"
	rm /run/b.gone
	wait_for 120 on_guest_b true
}

# topology_up: creates the two sides in the topology TOPOLOGY. Fails if a side cannot reach the
# other one. With PCIe RNICs on both sides, the function does not check whether they reach each
# other.
topology_up()
{
	set -e
	leaks_forget
	[ "$TOPOLOGY" != pair ] || on_b leaks_forget
	if rnic_pci; then
		rnic_load
		[ "$TOPOLOGY" != pair ] || on_b rnic_load
	fi
	case $TOPOLOGY in
	netns)
		ip netns add a
		ip netns add b
		if rnic_pci; then
			ip link set $DEV_A netns a
			ip link set $DEV_B netns b
		else
			ip link add $DEV_A netns a type veth peer name $DEV_B netns b
		fi ;;
	one)
		rnic_pci || ip link add $DEV_A type veth peer name $DEV_B ;;
	esac
	on_a side_up $DEV_A $IP_A $IP6_A
	on_b side_up $DEV_B $IP_B $IP6_B
	[ "$TOPOLOGY" != one ] || one_routes
	[ "$TOPOLOGY-$RNIC" != one-pci ] || peer_routes
	# The driver drops the packets that the guest sends on the interface of a PCIe RNIC, and the
	# RNIC itself answers pings. So only a side without a PCIe RNIC can ping.
	if rnic_pci; then
		[ "$RNIC" != mixed ] || wait_for 10 on_b ping -c 1 -W 1 $IP_A
		return
	fi
	# Resolve the neighbours now, because their resolution would delay the first connect.
	on_a pinged $IP_B $IP6_B
	on_b pinged $IP_A
}

# side_up: sets the interface DEV up, with the addresses IP and IP6
side_up() # DEV IP IP6
{
	ip -batch - <<-END
		link set lo up
		addr replace $2/24 dev $1
		addr replace $3/64 dev $1 nodad
		link set $1 up
	END
}

# pinged ADDRESS...: waits until each address answers; returns 1 if one does not answer in time
pinged()
{
	local address
	for address; do
		wait_for 10 ping -c 1 -W 1 "$address" || return
	done
}

# one_routes: makes packets to the other side's address leave through the veth. Both addresses are
# local, so the rules for these packets must precede the rule for the local table. With
# accept_local, the kernel accepts the packets at the other end, although their source address is
# local. Packets from a side to its own address use lo, as usual.
one_routes()
{
	local dev settings=()
	for dev in all $DEV_A $DEV_B; do
		settings+=("net.ipv4.conf.$dev.rp_filter=0" "net.ipv4.conf.$dev.accept_local=1"
			"net.ipv4.conf.$dev.arp_ignore=1")
	done
	sysctl -qw "${settings[@]}"
	one_wires
	one_rules "$IP_A" "$IP_B" | ip -batch -
	one_rules "$IP6_A" "$IP6_B" | ip -6 -batch -
}

# one_rules: prints the policy routing rules of one_routes for ip -batch
one_rules() # ADDRESS_A ADDRESS_B
{
	cat <<-END
		rule add pref 8 iif lo from $1 to $1 lookup local
		rule add pref 8 iif lo from $2 to $2 lookup local
		rule add pref 10 iif lo to $2 lookup 101
		rule add pref 11 iif lo to $1 lookup 102
		rule add pref 100 lookup local
		rule del pref 0
	END
}

# one_wires: sets the routes from each side to the other side. Call it again after an interface was
# replaced: the kernel deletes the routes of a deleted interface, but not the rules.
one_wires()
{
	ip -batch - <<-END
		route replace $IP_B dev $DEV_A src $IP_A table 101
		route replace $IP_A dev $DEV_B src $IP_B table 102
		route replace $IP6_B dev $DEV_A src $IP6_A table 101
		route replace $IP6_A dev $DEV_B src $IP6_B table 102
	END
}

# peer_routes: sets the address and the routes of the wire peer. The wire peer binds IP_PEER.
# Packets from this address use table 103, and so leave through the interface "plain" even if their
# destination is a local address. Packets to this address leave through the RNIC of side a.
peer_routes()
{
	sysctl -qw net.ipv4.conf.plain.rp_filter=0 net.ipv4.conf.plain.accept_local=1 \
		net.ipv4.conf.plain.arp_ignore=1
	ip addr replace "$IP_PEER/24" dev plain
	ip link set plain up
	ip route add 10.10.0.0/24 dev plain src $IP_PEER table 103
	ip route add $IP_PEER dev $DEV_A src $IP_A table 101
	ip rule add pref 9 from $IP_PEER iif lo lookup 103
	ip rule add pref 12 iif lo to $IP_PEER lookup 101
}

# link_mtu BYTES: sets the MTU of the interfaces of both sides
link_mtu()
{
	on_a ip link set "$DEV_A" mtu "$1"
	on_b ip link set "$DEV_B" mtu "$1"
}

# tcp_calm: prevents retransmissions of late segments, because segments are often late on a busy
# host. Disables tail loss probes and, if the kernel permits this, RACK and fast retransmit. Makes
# the retransmission timer expire only after ten seconds. Tests that check each segment call this
# function.
tcp_calm()
{
	on_a tcp_calm_side "$DEV_A" 101
	on_b tcp_calm_side "$DEV_B" 102
}

# tcp_calm_side: configures one side, with the interface DEV. In the topology "one", the routes
# through DEV are in the routing table TABLE; in other topologies, they are in the main table.
tcp_calm_side() # DEV TABLE
{
	local route
	tcp_repeats 0 0 1000000
	[ "$TOPOLOGY" = one ] || set -- "$1" main
	# shellcheck disable=SC2086
	ip route show table "$2" dev "$1" | while read -r route; do
		ip route change $route dev "$1" table "$2" rto_min 10s || return
	done
}

# tcp_repeats EARLY_RETRANS RECOVERY REORDERING: sets the sysctls tcp_early_retrans, tcp_recovery
# and tcp_reordering to these values
tcp_repeats()
{
	echo "$1" >/proc/sys/net/ipv4/tcp_early_retrans
	echo "$2" >/proc/sys/net/ipv4/tcp_recovery
	echo "$3" >/proc/sys/net/ipv4/tcp_reordering
}

# topology_down: removes what the test and topology_up have created. Prints a message and returns 1
# if a module stays loaded, or if guest b does not answer. run_test() reports the first of these
# messages.
topology_down()
{
	local bad=0 family number
	if [ "$TOPOLOGY" = pair ] && [ ! -e /run/b.gone ]; then
		on_b side_down || bad=1
	fi
	side_down || bad=1
	ip -all netns del
	ip link del va 2>/dev/null
	for family in -4 -6; do
		[ "$(ip $family rule list pref 100)" ] || continue
		{
			echo "rule add pref 0 lookup local"
			for number in 8 9 10 11 12; do echo "rule flush pref $number"; done
			echo "rule del pref 100"
		} | ip $family -batch -
		# Ignore errors, because a flush of an empty table fails.
		for number in 101 102 103; do echo "route flush table $number"; done |
			ip $family -force -batch - 2>/dev/null
	done
	return "$bad"
}

# side_down: removes NVMe, other ULPs, RDMA devices, modules and addresses of one guest; returns 1
# if a module stays loaded. In guest b, also kills the processes, unless systemd is running.
# run_test() kills the processes of guest a.
side_down()
{
	local module bad=0
	[ "$GUEST" = a ] || [ -d /run/systemd/system ] || strays_kill
	nvme_down
	ulps_down
	nvmet_down
	rdma_down
	leaks_look
	for module in xiw_short xiw_deaf xiw_test xiw siw siw_mpa1 siw_crc rdma_rxe null_blk brd \
		smbdirect rtrs_core; do
		unload "$module" || { bad=1; say "$module stays loaded"; }
	done
	[ "$TOPOLOGY" != pair ] || ip addr flush dev eth0
	! rnic_pci || [ "$TOPOLOGY" = pair ] || ip addr flush dev plain
	tcp_repeats 3 1 3
	return $bad
}
