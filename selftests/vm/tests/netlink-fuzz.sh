# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Netlink requests that chance makes, of somebody without privileges and of root, while
# connections are there and have work to do: nothing breaks, and who may not, changes
# nothing. XIW_TEST_SECONDS for each of them, XIW_TEST_SEED to have the same ones again.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 120
# shellcheck shell=bash

SECONDS_EACH=${XIW_TEST_SECONDS:-5}
SEED=${XIW_TEST_SEED:-$RANDOM}
NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs)

works() { xt a run "ep=$EP_A" op=write buf=m off=4M len=3000 qd=8 count=64 verify=1; }

xt_up
xt_pair
xt_listen
xt_join
INDEXES=("$(told a '.devices[0].index' show "$RD_A")" "$(told b '.devices[0].index' show "$RD_B")" 0 77)
SETTINGS=$(on_a xiw --json config show)
say "XIW_TEST_SEED=$SEED"

say "of nobody: $(on_a "${NOBODY[@]}" /run/guest/genl xiw fuzz "$SECONDS_EACH" "$SEED" "${INDEXES[@]}")"
equal "settings" "$SETTINGS" "$(on_a xiw --json config show)"
works

say "of root: $(on_a /run/guest/genl xiw fuzz "$SECONDS_EACH" "$SEED" "${INDEXES[@]}")"
works
say "both at once, with work to do"
on_a "${NOBODY[@]}" /run/guest/genl xiw fuzz "$SECONDS_EACH" "$((SEED + 1))" "${INDEXES[@]}" &
NUMBER=$!
on_b /run/guest/genl xiw fuzz "$SECONDS_EACH" "$((SEED + 2))" "${INDEXES[@]}" &
while kill -0 $NUMBER 2>/dev/null; do
	works
done
wait
on_a xiw
xt_part
xt b close ep=all
xiw_clean
