# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The driver allocates memory to create objects, register MRs, listen, connect, accept, post and
# clean up. Each of these allocations fails once: the first allocation in the first round, the
# second allocation in the second round, and so on, until a round makes no further allocation. The
# driver reports each failure in time, no object is left, and the next round works. The lab checks
# for leaks and reads the kernel log.
#
# XIW_TEST_SCENES: some of "device objects regions connect data end" (default: all). XIW_TEST_FROM:
# number of the first allocation that fails (default 1). XIW_TEST_SECONDS: time limit (default
# 3000).
# topology: one
# kernels: debug uml-debug
# rnic: soft
# timeout: 4000
# shellcheck shell=bash

SCENES=${XIW_TEST_SCENES:-device objects regions connect data end}
LAST=$((EPOCHSECONDS + ${XIW_TEST_SECONDS:-3000} * PATIENCE / 4))

# try SESSION COMMAND...: runs COMMAND, which may fail, but must end. Appends the errno of a failure
# to REFUSED
try()
{
	xt_try "$@" && return
	case ${XT[errno]-none} in
	ETIMEDOUT | none) fail "$1: ${*:2}: ${XT[0]-no answer}" ;;
	esac
	REFUSED+=" $2:${XT[errno]}"
	return 1
}

# The scene NAME has three functions. NAME_before prepares the scene and always succeeds. In NAME,
# one allocation fails. NAME_after restores the state that existed before NAME_before.

# link ARGUMENT...: runs rdma link in this guest, which has both sides
link() { within 60 rdma link "$@"; }
device_before() { link del "$RD_B"; }
device() { link add "$RD_B" type xiw netdev "$DEV_B" || REFUSED+=" link"; }
device_after()
{
	[ -e "/sys/class/infiniband/$RD_B" ] ||
		expect "added" link add "$RD_B" type xiw netdev "$DEV_B"
}

objects_before() { :; }
objects()
{
	try a create what=cq "dev=$RD_A" cqe=64
	try a create what=srq "dev=$RD_A" srq=64
	try a create what=qp "dev=$RD_A" sq=64 rq=64 sge=4 rsge=4
}
objects_after() { :; }

meet() { xt_listen && xt_join; }
# part: closes all endpoints, some of which may not exist any more
part() { xt_closed a b; }
regions_before() { meet; }
regions() { try a reg name=r buf=m off=4M len=64K access=lw,rw,rr && try a dereg name=r; }
regions_after() { part; }

connect_before() { :; }
connect()
{
	try b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K autoclose=1 || return
	try a connect "addr=$IP_B" "port=$XT_PORT"
}
connect_after() { part; }

data_before() { meet; }
data()
{
	local op len sges
	for op in send write read write_imm fetchadd; do
		len=8000 sges=3	# the data needs at most four SGEs, whatever the page layout
		case $op in
		read) len=4096 sges=1 ;;
		fetchadd) len=8 sges=1 ;;
		send) try b recv "ep=$EP_B" buf=m off=4M len=8K ;;
		write_imm) try b recv "ep=$EP_B" len=0 ;;
		esac
		# The failure may have ended the connection. In this case, the work request
		# completes in error.
		try a wr "ep=$EP_A" op=$op buf=m len=$len sges=$sges || return
		[ "${XT[wc]-}" = SUCCESS ] || { REFUSED+=" $op:${XT[wc]}"; return; }
	done
}
data_after() { part; }

end_before() { meet; }
end()
{
	try a post "ep=$EP_A" op=write buf=m len=4096 n=2
	try a disconnect "ep=$EP_A"
	try a close "ep=$EP_A"
	try b close ep=all
}
end_after() { part; }

# sweep SCENE KIND: runs SCENE repeatedly. In round N, the Nth allocation of KIND (failslab or
# fail_page_alloc) fails. Finally runs SCENE without a failure
sweep()
{
	local n struck=0 last=''
	for ((n = ${XIW_TEST_FROM:-1}; EPOCHSECONDS < LAST; n++)); do
		"$1_before"
		REFUSED=
		scarce_arm "$n"
		"$1" || :	# ignore the status: REFUSED contains each refused command
		if ! scarce_struck; then
			scarce_calm objects
			"$1_after"
			last=1
			break
		fi
		"$1_after"
		struck=$((struck + 1))
		say "$1: allocation $n of $2:${REFUSED:- nobody noticed}"
		xt_clean a
		xt_clean b
	done
	[ "$last" ] || fail "$1: $n allocations of $2, and still more when the time was over"
	# Each scene must allocate slab objects. Only the scene "device" must also allocate pages.
	case $1-$2-${XIW_TEST_FROM:-1} in
	*-failslab-1 | device-*-1) [ $struck -gt 0 ] || fail "$1: no allocation of $2 has failed" ;;
	esac
	say "== $1: each of $struck allocations of $2 has failed"
	"$1_before"
	REFUSED=
	"$1" || :	# as above
	"$1_after"
	equal "$1 with all memory" "" "$REFUSED"
}

xt_up
xt_pair
for kind in failslab fail_page_alloc; do
	scarce_up $kind
	for scene in $SCENES; do sweep "$scene" $kind; done
	scarce_down
done
meet
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
part
xiw_clean
