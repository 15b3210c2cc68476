# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An unprivileged user sends random netlink requests, then root does, and then both do at the same
# time while a connection is busy. The connection is not affected, and the unprivileged user changes
# no setting. Each time, a user sends requests for XIW_TEST_SECONDS seconds (default 5).
# With the XIW_TEST_SEED of an earlier run, the test repeats the requests of that run.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 120
# shellcheck shell=bash

SECONDS_EACH=${XIW_TEST_SECONDS:-5}
SEED=${XIW_TEST_SEED:-$RANDOM}
NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs)

# fuzz SIDE SEED [WHO...]: runs the fuzzer on SIDE for SECONDS_EACH seconds, and checks that it
# succeeds and has sent requests. WHO: a command that runs the fuzzer as another user
fuzz()
{
	local side=$1 seed=$2 told
	shift 2
	told=$("on_$side" "$@" /run/guest/genl xiw fuzz "$SECONDS_EACH" "$seed" "${INDEXES[@]}") ||
		fail "the fuzzer ended with status $?: $told"
	say "$told"
	[[ $told =~ requests=[1-9] ]] || fail "the fuzzer asked nothing"
}

works() { xt a run "ep=$EP_A" op=write buf=m off=4M len=3000 qd=8 count=64 verify=1; }

xt_up
xt_pair
xt_listen
xt_join
INDEXES=("$(told a '.devices[0].index' show "$RD_A")" "$(told b '.devices[0].index' show "$RD_B")" 0 77)
SETTINGS=$(on_a xiw --json config show)
say "XIW_TEST_SEED=$SEED"

say "of nobody"
fuzz a "$SEED" "${NOBODY[@]}"
equal "settings" "$SETTINGS" "$(on_a xiw --json config show)"
works

say "of root"
fuzz a "$SEED"
works
say "both at once, with work to do"
fuzz a $((SEED + 1)) "${NOBODY[@]}" &
NOBODYS=$!
fuzz b $((SEED + 2)) &
ROOTS=$!
while kill -0 $NOBODYS 2>/dev/null; do
	works
done
expect "the fuzzer of nobody" wait $NOBODYS
expect "the fuzzer of root" wait $ROOTS
on_a xiw
xt_part
xt b close ep=all
xiw_clean
