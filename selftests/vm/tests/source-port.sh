# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A ULP, such as rtrs, connects several times from one source port to one listener. TCP can have
# only one such connection. If the port is in the ephemeral range, the RNIC uses another port for
# each further connection. If the port is outside this range, the second connect fails with
# EADDRNOTAVAIL.
# topology: one netns
# kernels: all
# timeout: 120
# shellcheck shell=bash

DRAWN=40100 ASKED=20000

xt_up
xt_pair

# ports SIDE ROLE WHAT: prints the ports that xiw conn reports for the connections of SIDE, as a
# JSON array. ROLE: initiator or responder. WHAT: local or remote
ports()
{
	told "$1" "[.connections[] | select(.role == \"$2\") | .$3.port] | sort | unique" \
		conn "$(rd_of "$1")"
}

asked_only() { [ "$(ports a initiator local)" = "[$ASKED]" ]; }

for family in 4 6; do
	from=$IP_A to=$IP_B
	if [ $family = 6 ]; then
		from=$IP6_A to=$IP6_B
		# rdma_cm may fail if the neighbour entry has expired, so let ping renew the entry.
		rnic_pci || wait_for 10 on_a ping -c 1 -W 1 "$to"
	fi
	say "three connections from $from, port $DRAWN"
	xt b listen "addr=$to" "port=$XT_PORT" export=m export_len=1088K
	for n in 1 2 3; do
		xt a connect "addr=$to" "port=$XT_PORT" "src=$from" sport=$DRAWN
		xt b wait ep=all state=ready n=$n
	done
	xt a run ep=all op=write buf=m off=4M len=512 qd=2 count=4 spread=1 verify=1
	used=$(ports a initiator local)
	equal "ports of a" '[3,true]' "$(jq -c "[length, index($DRAWN) != null]" <<<"$used")"
	equal "ports of a, at b" "$used" "$(ports b responder remote)"
	xt a close ep=all
	xt b wait ep=all state=disconnected n=3

	say "a port outside the range"
	xt a connect "addr=$to" "port=$XT_PORT" "src=$from" sport=$ASKED
	xt_err EADDRNOTAVAIL a connect "addr=$to" "port=$XT_PORT" "src=$from" sport=$ASKED
	# Connections of the previous step may still exist, so wait until they are gone.
	wait_for 10 asked_only || fail "ports of side a: $(ports a initiator local)"
	xt a close ep=all
	xt b wait ep=all state=disconnected n=4
	xt b close ep=all
done
xiw_clean
