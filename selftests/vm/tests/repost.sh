# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A ULP that posts until its pool is empty, on a QP in error: each post completes at once,
# each completion refills the pool. The completion handlers do not run inside the posts,
# so the pool is empty in the end.
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
