# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A user creates listeners until the device refuses. The user gets only a share of the connection
# slots, so listeners and connects of other users still work. If a listener of that user has no free
# slot, it gets one when the user's other listeners are destroyed.
# topology: one
# kernels: all
# rnic: soft
# memory: 2048
# timeout: 150
# shellcheck shell=bash

USER_ID=65534

# by_user SESSION COUNT PORT COMMAND...: as an unprivileged user, writes COMMAND to SESSION for each
# of COUNT consecutive ports, beginning with PORT, until a command is refused. Sets MADE to the
# number of accepted commands, and LINE to the last answer
by_user()
{
	local answer
	# shellcheck disable=SC2016
	answer=$(setpriv --reuid $USER_ID --regid $USER_ID --clear-groups --no-new-privs \
		bash -c '
			for ((i = 0; i < $2; i++)); do
				printf "%s port=%d\n" "$3" $(($4 + i)) >&"$1"
				read -r line <&"$1"
				[[ $line == status=ok* ]] || break
			done
			printf "%s %s\n" "$i" "$line"' \
		- "${XT_FD[$1]}" "$2" "${*:4}" "$3")
	MADE=${answer%% *} LINE=${answer#* }
	say "user $USER_ID: $MADE times ${*:4}: $LINE"
}

xt_up
xt_pair
xt_open user b
xt_open crowd b

say "a listener of the user, with one slot"
by_user user 1 7400 listen "addr=$IP_B" backlog=1 hello=0
equal "listeners" 1 "$MADE"

say "all that the user gets"
by_user crowd 2000 20000 listen "addr=$IP_B" backlog=1024 hello=0
[ "$MADE" -lt 2000 ] || fail "the device never refuses"
[[ $LINE == *errno=EAGAIN* ]] || fail "refused otherwise: $LINE"

say "the administrator listens, and connects"
xt_listen
xt_join
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
xt_part
xt b close ep=all
xt a listen "addr=$IP_A" port=7401 hello=0
xt b connect "addr=$IP_A" port=7401 hello=0
xt b close ep=all
xt a wait ep=all state=disconnected
xt a close ep=all

say "the slot of the user's first listener is used, and there is no other"
xt a connect "addr=$IP_B" port=7400 hello=0
xt user wait ep=all state=ready
xt_start a connect "addr=$IP_B" port=7400 hello=0 timeout=60000
xt crowd close ep=all
xt_ends a '^status=ok'
xt a close ep=all

say "the slots grow with the peers that come"
by_user crowd 1 7402 listen "addr=$IP_B" backlog=128 hello=0
xt a connect "addr=$IP_B" port=7402 hello=0 n=100 sq=1 rq=1
xt a close ep=all
for session in user crowd; do
	xt $session close ep=all
	xt_close $session
done
xiw_clean
