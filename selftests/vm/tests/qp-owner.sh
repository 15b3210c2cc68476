# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iw_cm passes only QP numbers to the driver. The driver prevents a user from connecting or
# accepting with a QP of another user or of the kernel. [R-SEC-017]
# topology: one
# kernels: all
# timeout: 120
# shellcheck shell=bash

user_provider
xt_up
chmod a+rw /dev/infiniband/*

# as_nobody WORD...: runs a command line as an unprivileged user
as_nobody()
{
	setpriv --reuid=nobody --clear-groups --inh-caps=-all --bounding-set=-all \
		bash -c "ulimit -l 4096; exec $*"
}

# taking WHO QP-A QP-B: connects with QP-A and accepts with QP-B, and prints both results. WHO: a
# command that runs the program as a certain user
taking()
{
	"$1" xiw-verbs "$IP_A" "$IP_B" take "$2" "$3" >/tmp/take.log 2>&1 ||
		fail "take: status $?: $(cat /tmp/take.log)"
	cat /tmp/take.log
}

hold idle
read -r _ qp_a qp_b < <(grep '^qps ' "$HOLD_LOG")

say "QPs of another user"
taking as_nobody "$qp_a" "$qp_b"
grep -q '^connect: .*rdma_connect: Operation not permitted$' /tmp/take.log ||
	fail "connect of another user's QP"
grep -q '^accept: .*rdma_accept: Operation not permitted$' /tmp/take.log ||
	fail "accept with another user's QP"
[ "$(counter a connect_errors)" -gt 0 ] || fail "connect_errors was not counted"

say "QPs of another process of the same user"
taking env "$qp_a" "$qp_b"
equal "connect and accept" 2 "$(grep -c ': granted$' /tmp/take.log)"

hold_kill
user_clean

say "QPs of the kernel"
xt_pair
xt_listen
xt_join
xt a query "ep=$EP_A"
qp_a=${XT[qpn]}
xt b query "ep=$EP_B"
taking as_nobody "$qp_a" "${XT[qpn]}"
grep -q '^connect: .*rdma_connect: Operation not permitted$' /tmp/take.log ||
	fail "connect of a QP of the kernel"
grep -q '^accept: .*rdma_accept: Operation not permitted$' /tmp/take.log ||
	fail "accept with a QP of the kernel"
xt_part
xt b close ep=all
xiw_clean
