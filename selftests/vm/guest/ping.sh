# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions that run xiw ping from side a to side b, and xiw selftest on side b. The results are
# JSON.
# shellcheck shell=bash

WAIT=$((5 * PATIENCE))
OUT_LOG=/tmp/ping.out ERR_LOG=/tmp/ping.err

# serve OPTION...: starts a server of xiw ping on side b with these options; sets PORT to its port
serve()
{
	PORT=$((USER_PORT++))
	server_up $PORT xiw ping --serve -p $PORT "$@"
}

# ping_is STATUS WORDS ARGUMENT...: runs xiw ping on side a. Checks that it returns STATUS, and that
# standard error contains WORDS. If WORDS is empty, standard error must be empty.
ping_is()
{
	local rc=0
	say "+ xiw ping ${*:3}"
	on_a xiw --json ping -W $WAIT "${@:3}" >$OUT_LOG 2>$ERR_LOG || rc=$?
	cat $OUT_LOG $ERR_LOG
	equal "status of xiw ping ${*:3}" "$1" "$rc"
	if [ "$2" ]; then
		grep -q -- "$2" $ERR_LOG || fail "no \"$2\" on standard error"
	else
		equal "on standard error" "" "$(cat $ERR_LOG)"
	fi
}

# selftest_is STATUS: runs xiw selftest on side b, and checks that it returns STATUS
selftest_is()
{
	local rc=0
	ON_TIMEOUT=120 on_b xiw --json selftest -W $WAIT "$RD_B" >$OUT_LOG 2>$ERR_LOG || rc=$?
	jq -r '.selftest.cases[] | "\(.verdict)  \(.case)  \(.text)"' $OUT_LOG
	cat $ERR_LOG
	equal "status of the self-test" "$1" "$rc"
}

# ping_told WANTED EXPRESSION: checks that the jq EXPRESSION prints WANTED for the last result
ping_told() { equal "$2" "$1" "$(jq -c "$2" $OUT_LOG)"; }
