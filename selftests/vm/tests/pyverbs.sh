# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs rdma-core's own tests, as Debian ships them. Each test passes, unless not-applicable.tsv
# gives the reason why xiw, or any iWARP device, cannot pass it.
# topology: one
# kernels: all
# disk: programs
# timeout: 900
# shellcheck shell=bash

user_up
configure send-with-immediate=on
TESTS=/tmp/rdma-core
cp -r /usr/share/doc/rdma-core/tests $TESTS
gunzip $TESTS/*.gz

RESULTS=$OUT-results.tsv REASONS=/lab/in/rdma-core/not-applicable.tsv
python3 /lab/in/rdma-core/run.py $TESTS "$RD_B" >"$RESULTS" || fail "$(tail -n 3 "$RESULTS")"
cut -f 2 "$RESULTS" | sort | uniq -c
user_clean

# explained NAME VERDICT: succeeds if not-applicable.tsv has a line "PATTERN VERDICT REASON" with
# this VERDICT and a PATTERN that matches NAME. USED: patterns that have matched
declare -A USED=()
explained() # NAME VERDICT
{
	local pattern verdict
	while IFS=$'\t' read -r pattern verdict _; do
		# shellcheck disable=SC2053
		[[ $1 == $pattern && $2 == "$verdict" ]] || continue
		USED[$pattern]=1
		return 0
	done < <(grep -v '^#' $REASONS)
	return 1
}
bad=0
while IFS=$'\t' read -r name verdict why; do
	[ "$verdict" = ok ] || explained "$name" "$verdict" || {
		say "$name: $verdict: $why"
		bad=$((bad + 1))
	}
done <"$RESULTS"
while IFS=$'\t' read -r pattern _; do
	[ "${USED[$pattern]-}" ] || { say "$pattern: no such result"; bad=$((bad + 1)); }
done < <(grep -v '^#' $REASONS)
equal "results without a reason, reasons without a result" 0 $bad
[ "$(grep -c "	ok	" "$RESULTS")" -ge 55 ] || fail "too few tests pass"
