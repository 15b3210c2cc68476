# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Connections are cut repeatedly while FetchAdds are outstanding. Every FetchAdd that has completed
# was executed once and in order. At most ORD of the FetchAdds that have not completed were
# executed, because at most ORD may be outstanding. [X-ORD-001] [X-ORD-008]
# topology: netns one
# kernels: all
# rnic: soft
# timeout: 180
# shellcheck shell=bash

ROUNDS=${XIW_TEST_ROUNDS:-${RECONNECTS:-12}}
ORD=8

xt_up
xt_pair
xt_listen
word=0
xt b poke buf=m val=0
# word_at: prints the word that the FetchAdds change, as a decimal number
word_at() { xt b peek buf=m; printf '%d' "${XT[val]}"; }
beyond() { [ "$(word_at)" -gt "$1" ]; }
tcp_reset() { on_a ss -K dst "$IP_B" dport = "$XT_PORT" >/dev/null; }

in_doubt=0
for ((round = 0; round < ROUNDS; round++)); do
	xt_join ord=$ORD sq=64
	xt_start a run "ep=$EP_A" op=fetchadd buf=m off=4M qd=64 count=1000000 verify=1 \
		"init=$word"
	wait_for 20 beyond $((word + RANDOM % 200)) || fail "round $round: no atomic came through"
	case $((round % 4)) in
	0) how="b disconnects"; xt b disconnect "ep=$EP_B" ;;
	1) how="b destroys"; xt b close "ep=$EP_B" ;;
	2) how="b errs"; xt b modify "ep=$EP_B" state=ERR ;;
	3) how="TCP is reset"; tcp_reset || fail "no TCP connection to reset" ;;
	esac
	xt_ends a 'errno=E.* bad=0 misordered=0'
	answer=$(</tmp/a.answer)
	[[ $answer =~ count=([0-9]+) ]]
	completed=${BASH_REMATCH[1]}
	xt a wait "ep=$EP_A" state=disconnected
	xt a close "ep=$EP_A"
	if [ $((round % 4)) -ne 1 ]; then
		xt b wait "ep=$EP_B" state=disconnected
		xt b close "ep=$EP_B"
	fi
	now=$(word_at)
	say "round $round, $how: $completed completed, $((now - word)) done"
	[ $((now - word)) -ge "$completed" ] || fail "completed, but not done"
	[ $((now - word)) -le $((completed + ORD)) ] || fail "more was done than could be in flight"
	in_doubt=$((in_doubt + now - word - completed))
	word=$now
done
say "$in_doubt in doubt"

say "and none of them comes later"
xt_join
xt_wc SUCCESS a wr "ep=$EP_A" op=fetchadd add=0
xt_is result "$(printf '0x%016x' "$word")"
xt_part
xt b close ep=all
xt_clean a
xt_clean b
