# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Connections between xiw and siw fail or end, and no object is left. They fail because the ULP
# rejects them, the listener ends or nobody listens. They end because either end disconnects or
# destroys its QP.
# topology: one netns
# kernels: all
# rnic: soft
# timeout: 240
# not-debug: lockdep reports siw's own locks, and then it stops checking
# shellcheck shell=bash

ROUNDS=5 CONNECTIONS=16

# held [KEY=VALUE...]: sends a Request from side a to the listener of side b, which has mode=hold
# and so does not answer. KEY=VALUE: options of connect. Sets EP_A and EP_B
held()
{
	xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0 "$@"
	EP_A=${XT[ep]}
	xt b wait ep=all state=request
	EP_B=${XT[ep]}
}

# refusals: tests connects that are rejected or find no listener
refusals()
{
	say "refused by the ULP, with private data"
	xt b listen "addr=$IP_B" "port=$XT_PORT" mode=hold hello=0
	held pdata=a0a1
	xt b query "ep=$EP_B"
	[[ ${XT[pdata]} == a0a1* ]] || fail "private data of the Request: ${XT[pdata]}"
	xt b reject "ep=$EP_B" pdata=dead01
	xt a wait "ep=$EP_A" state=rejected
	xt a query "ep=$EP_A"
	[[ ${XT[pdata]} == dead01* ]] || fail "private data of the Reply: ${XT[pdata]}"
	xt a close "ep=$EP_A"

	say "the listener goes while a request is held"
	held
	xt b close ep=all
	xt a wait "ep=$EP_A" state=rejected
	xt a close "ep=$EP_A"

	say "nobody listens"
	xt_err ECONNREFUSED a connect "addr=$IP_B" "port=$XT_PORT" hello=0
	xt_clean a
	xt_clean b
}

# endings: tests connections of which one end disconnects or destroys its QP, and then rounds of
# many connections that side a closes
endings()
{
	local who other
	for who in a b; do
		other=$([ $who = a ] && echo b || echo a)
		say "$who disconnects"
		meet
		local -n ep_who=EP_${who^^} ep_other=EP_${other^^}
		xt $who disconnect "ep=$ep_who"
		xt $other wait "ep=$ep_other" state=disconnected
		xt $who wait "ep=$ep_who" state=disconnected
		xt a close ep=all
		xt b close ep=all

		say "$who goes with receives posted and Writes under way"
		meet
		xt $other recv "ep=$ep_other" n=8 buf=m off=2M len=4096
		xt $who recv "ep=$ep_who" n=8 buf=m off=2M len=4096
		xt $other post "ep=$ep_other" op=write buf=m off=4M len=1M n=8
		xt $who close "ep=$ep_who"
		xt $other wait "ep=$ep_other" state=disconnected
		# Each work request must complete once.
		xt $other wcall "ep=$ep_other" n=16
		xt $other close ep=all
		xt_try $who close ep=all || xt_is errno ENOENT
		xt_clean a
		xt_clean b
	done

	say "$ROUNDS rounds of $CONNECTIONS connections"
	xt_listen export_len=64K ird=16 ord=16 backlog=64 autoclose=1 sq=8 rq=8
	for ((round = 0; round < ROUNDS; round++)); do
		until xt_try a connect "addr=$IP_B" "port=$XT_PORT" "n=$CONNECTIONS" $NUDGE sq=8 rq=8; do
			drawn_again || fail "a: connect: ${XT[0]}"
		done
		xt_try a run ep=all op=write buf=m off=4M len=512 qd=2 count=4 spread=1 verify=1 ||
			only_misordered a
		xt a close ep=all
	done
	wait_for 30 gone || fail "endpoints stay: ${XT[0]}"
	xt b close ep=all
}
# drawn_again: succeeds if a connect of siw has failed with EADDRINUSE, but at most ten times in
# this test. Closes the endpoints of side a, so that the caller can repeat the connect. siw insists
# on the port that rdma_cm has chosen, and TCP may still have this port in TIME_WAIT.
drawn_again()
{
	[ "$XIW_SIDE ${XT[errno]}" = "b EADDRINUSE" ] && [ $((draws += 1)) -le 10 ] || return
	xt_try a close ep=all || xt_is errno ENOENT
}
draws=0
gone() { xt b stat && [ "${XT[eps]}" -eq 1 ]; }

for types in "xiw siw" "siw xiw"; do
	# shellcheck disable=SC2086
	ends $types
	refusals
	endings
done
ends_down
