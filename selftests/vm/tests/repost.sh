# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A ULP posts work requests from a pool to a QP in error until the pool is empty. Each post
# completes immediately, and each completion returns a request to the pool. The completion handlers
# do not run inside the posts, so the pool becomes empty and the ULP stops posting. The handlers do
# not run inside the posts to an open QP either, even if the peer is on this machine.
# topology: one
# kernels: all
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair

for poll in softirq workqueue; do
	say "CQs polled by $poll"
	xt_listen poll=$poll sq=512 rq=512
	xt_join poll=$poll sq=512 rq=512
	# An interrupt may occur during a post, and its softirq then handles the completions of all
	# outstanding requests. The pool has n requests, so allow up to n completions inside the
	# posts.
	for n in 1 16 255; do
		xt a pool "ep=$EP_A" q=send open=1 n=$n limit=20000
		xt_is failed 0
		say "open, pool of $n: ${XT[posts]} posts, ${XT[inside]} completed inside"
		((XT[inside] <= n)) || fail "handlers run inside the posts"
	done
	xt a drain "ep=$EP_A"
	for queue in recv send; do
		for n in 1 16 255; do
			xt a pool "ep=$EP_A" "q=$queue" n=$n limit=20000
			xt_is failed 0
			say "$queue, pool of $n: ${XT[posts]} posts, ${XT[inside]} completed inside"
		done
	done
	xt a query "ep=$EP_A"
	xt_is misordered 0
	xt_ended
	xt_part
	xt b close ep=all
done
xt_clean a
xt_clean b
