# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Sessions of the kernel verbs exerciser (selftests/kmod/README.md), one for each open file of
# /dev/xiw_test. The array XT contains the answer to the last command: XT[status], XT[errno], XT[wc]
# and so on. XT[0] is the whole answer.
# shellcheck shell=bash

# xt_type: prints the tested type of device, xiw, siw or rxe (XIW_TEST_TYPE in the environment of
# lab run)
xt_type() { printf '%s' "${XIW_TEST_TYPE:-xiw}"; }

declare -A XT=() XT_FD=() XT_SIDE=()

# xt_up: creates devices of the tested type and loads the exerciser, on both sides
xt_up()
{
	local type
	type=$(xt_type)
	expect "devices of type $type" rdma_up "$type"
	expect "the exerciser on a" on_a load xiw_test
	expect "the exerciser on b" on_b load xiw_test
}

# xt_open NAME SIDE: opens the session NAME, which uses the RDMA device of SIDE, a or b
xt_open()
{
	local fd
	XT_SIDE[$1]=$2
	if [ "$2" = b ] && [ "$TOPOLOGY" = pair ]; then
		on_b xt_serve_start "$1" || fail "no session $1 on b"
		return
	fi
	exec {fd}<>/dev/xiw_test || fail "no session $1"
	XT_FD[$1]=$fd
}

# xt_close NAME: closes the session NAME
xt_close()
{
	local fd=${XT_FD[$1]-}
	if [ -n "$fd" ]; then exec {fd}>&-; else on_b xt_serve_stop "$1"; fi
	unset "XT_FD[$1]" "XT_SIDE[$1]"
}

# xt_try NAME COMMAND...: runs a command in the session NAME, and sets XT to the answer; succeeds if
# the status in the answer is ok
xt_try()
{
	local name=$1 line word fd=${XT_FD[$1]-}
	shift
	if [ -z "$fd" ]; then
		line=$(ON_TIMEOUT=${ON_TIMEOUT-300} on_b xt_serve_call "$name" "$*")
	elif [ "$TOPOLOGY" = netns ] && [[ $1 == @(connect|listen)* ]]; then
		# Write from the namespace of the side. The namespace of the writing process
		# matters, not the namespace in which the file was opened.
		# shellcheck disable=SC2016
		nsenter "--net=/run/netns/${XT_SIDE[$name]}" \
			bash -c 'printf "%s\n" "$1" >&"$2"' - "$*" "$fd" || return
		IFS= read -r -u "$fd" line
	else
		printf '%s\n' "$*" >&"$fd" || return
		IFS= read -r -u "$fd" line
	fi
	XT=([0]=$line)
	for word in $line; do
		[[ $word != *=* ]] || XT[${word%%=*}]=${word#*=}
	done
	[ "${XT[status]-}" = ok ]
}

# xt NAME COMMAND...: runs a command in the session NAME, and fails the test if the command fails
xt() { xt_try "$@" || fail "$1: ${*:2}: ${XT[0]-}"; }

# xt_err ERRNO NAME COMMAND...: checks that COMMAND fails in the session NAME with the errno ERRNO
xt_err()
{
	local want=$1
	shift
	! xt_try "$@" || fail "$1: ${*:2}: succeeded: ${XT[0]}"
	equal "$1: ${*:2}" "$want" "${XT[errno]-}"
}

# xt_is KEY WANTED: checks that the value of KEY in the last answer is WANTED
xt_is() { equal "$1 in '${XT[0]-}'" "$2" "${XT[$1]-}"; }

# xt_wc STATUS NAME COMMAND...: checks that COMMAND completes in the session NAME with the work
# completion status STATUS
xt_wc()
{
	local want=$1
	shift
	xt "$@"
	equal "$1: ${*:2}: ${XT[0]}" "$want" "${XT[wc]-}"
}

# xt_clean NAME: checks that the session NAME has no objects except its buffers
xt_clean()
{
	local key
	xt "$1" stat
	for key in eps cq qp cmid wr; do xt_is "$key" 0; done
}

# xt_meet_held: connects side a to a listener of side b that holds the Request until side b accepts
# it. Both ends send private data, IRD and ORD. Sets LISTENER, EP_A and EP_B. XT is the answer to a
# query of EP_A.
xt_meet_held()
{
	xt b listen "addr=$IP_B" "port=$XT_PORT" mode=hold hello=0 pdata=b0b1b2b3 ord=3 ird=5
	LISTENER=${XT[ep]}
	xt a connect "addr=$IP_B" "port=$XT_PORT" hello=0 wait=0 pdata=a0a1 ord=4 ird=2
	EP_A=${XT[ep]}
	xt b wait ep=all state=request
	EP_B=${XT[ep]}
	xt b query "ep=$EP_B"
	[[ ${XT[pdata]} == a0a1* ]] || fail "private data of the Request: ${XT[pdata]}"
	xt b accept "ep=$EP_B"
	xt a wait "ep=$EP_A" state=ready
	xt a query "ep=$EP_A"
	[[ ${XT[pdata]} == b0b1b2b3* ]] || fail "private data of the Reply: ${XT[pdata]}"
}

# xt_pair: opens session a on side a and session b on side b, each with a buffer m
xt_pair()
{
	local side
	for side in a b; do
		xt_open $side $side
		xt $side buf name=m size=8M
	done
}

XT_PORT=7306

# xt_listen [KEY=VALUE...]: makes side b listen, and export the first part of its buffer m to its
# peers. The KEYs are arguments of listen. Sets LISTENER.
# shellcheck disable=SC2120 # tests pass some
xt_listen()
{
	xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K "$@"
	LISTENER=${XT[ep]}
}

# xt_join [KEY=VALUE...]: connects side a to the listener of side b, with these arguments of
# connect. Sets EP_A and EP_B to the endpoints.
xt_join()
{
	xt a connect "addr=$IP_B" "port=$XT_PORT" "$@"
	EP_A=${XT[ep]}
	xt b wait ep=all state=ready
	EP_B=${XT[ep]}
	export EP_A EP_B LISTENER
}

declare -A XT_STARTED=()
# xt_start SESSION COMMAND...: runs a command of the session in the background; its answer goes to a
# file
xt_start()
{
	(xt_try "$@" || :
	printf '%s\n' "${XT[0]}" >"/tmp/$1.answer") &
	XT_STARTED[$1]=$!
}

# Arguments of the command "run" for traffic that lasts until the test ends it.
XT_ENDLESS=(ms=600000 timeout=900000)

# xt_ends SESSION PATTERN: waits for the command that xt_start has started, and checks that its
# answer matches the regular expression PATTERN
xt_ends()
{
	local answer
	wait "${XT_STARTED[$1]}" || :
	answer=$(<"/tmp/$1.answer")
	say "$1: $answer"
	grep -q "$2" <<<"$answer" || fail "$1 answered: $answer"
}

# xt_halt: makes the exerciser of this guest end all runs that have the argument ms=, as if their
# time had passed. A run ends when its pending operations have completed.
xt_halt() { echo halt >/dev/xiw_test; }

sunk_is() { xt "$1" sink "ep=$2" && [ "${XT[$3]}" -eq "$4" ]; }
# xt_sunk SESSION EP KEY N: waits until the count KEY of the sink of endpoint EP is N, and checks
# that the sink has no error. With xiw, a Send completes when TCP has accepted it, which may be long
# before the other end counts it.
xt_sunk()
{
	wait_for 20 sunk_is "$@" || fail "$1: $3 is not $4 in '${XT[0]-}'"
	xt_is bad 0
}

# xt_part: closes the endpoints EP_A and EP_B
xt_part()
{
	xt a close "ep=$EP_A"
	xt b wait "ep=$EP_B" state=disconnected
	xt b close "ep=$EP_B"
}

# xt_spoil KEY=VALUE...: posts work on side a that side b must refuse, and checks that both sides
# disconnect. Closes all endpoints.
xt_spoil()
{
	xt_try a wr "$@" || say "${XT[0]}"
	xt a wait "ep=$EP_A" state=disconnected
	xt b wait "ep=$EP_B" state=disconnected
	xt a close ep=all
	xt b close ep=all
}

# under_traffic WHAT CMD...: writes over four connections while CMD runs, and checks that CMD ends
# these connections. WHAT describes CMD in the output. The function octets() prints the number of
# octets from side a to side b; a test may redefine it.
under_traffic()
{
	say "$1"
	xt_listen
	xt a connect "addr=$IP_B" "port=$XT_PORT" n=4
	xt b wait ep=all state=ready n=4
	xt a run ep=all op=write buf=m off=4M len=65536 qd=8 count=8
	BEFORE=$(octets)
	xt_start a run ep=all op=write buf=m off=4M len=65536 qd=8 "${XT_ENDLESS[@]}"
	wait_for 20 moving || fail "nothing moves"
	expect "$@"
	xt_ends a '^status=error'
	# If CMD has deleted a device, the exerciser has destroyed the endpoints on it. Otherwise,
	# the endpoints remain, and their connections have ended.
	wait_for 30 gone || fail "endpoints stay: ${XT[0]}"
	xt_closed a b
	xt_clean a
	xt_clean b
}
BEFORE=0
moving() { [ $(($(octets) - BEFORE)) -gt 100000 ]; }
# gone: succeeds if no endpoint of session a is connected
gone() { ! xt_try a wait ep=all state=ready timeout=0; }

# xt_closed SESSION...: closes all endpoints of each SESSION. A SESSION may have no endpoints,
# because the exerciser destroys endpoints when their device is deleted.
xt_closed()
{
	local session
	for session in "$@"; do
		xt_try "$session" close ep=all || xt_is errno ENOENT
	done
}

# xt_told SESSION DEVICE EVENT: succeeds if SESSION has received the asynchronous event EVENT of
# DEVICE
xt_told() { xt "$1" devinfo "dev=$2" && [[ ,${XT[events]}, == *",$3,"* ]]; }

# xt_ended: checks that an error has ended the connection at both ends. With InfiniBand, the user
# must disconnect; with iWARP, the driver closes the connection.
xt_ended()
{
	[ "$(xt_type)" != rxe ] || xt a disconnect "ep=$EP_A"
	xt a wait "ep=$EP_A" state=disconnected
	xt b wait "ep=$EP_B" state=disconnected
	xt a query "ep=$EP_A"
	xt_is qp_state ERR
}

# xt_rejoin [KEY=VALUE...]: makes a new connection, after an error has ended EP_A and EP_B
xt_rejoin() { xt_part; xt_join "$@"; }

# xt_serve_start NAME: starts a process in guest b that holds the session NAME. Pipes pass commands
# to the process.
xt_serve_start()
{
	rm -f "/run/xt.$1.in" "/run/xt.$1.out"	# remove the files of a session that was not closed
	mkfifo "/run/xt.$1.in" "/run/xt.$1.out"
	setsid /run/guest/call xt_serve "$1" </dev/null >/dev/null 2>&1 &
	echo $! >"/run/xt.$1.pid"
	xt_serve_call "$1" stat >/dev/null
}

# xt_serve NAME: runs in the process that xt_serve_start starts. Passes each line from one pipe to
# the exerciser, and the answer to the other pipe.
xt_serve()
{
	local line
	exec 9<>/dev/xiw_test 8<>"/run/xt.$1.in" 7<>"/run/xt.$1.out"
	while IFS= read -r -u 8 line; do
		printf '%s\n' "$line" >&9
		IFS= read -r -u 9 line
		printf '%s\n' "$line" >&7
	done
}

# xt_serve_call NAME COMMAND: passes COMMAND to the process of the session NAME, and prints the
# answer
xt_serve_call()
{
	local line
	printf '%s\n' "$2" >"/run/xt.$1.in"
	IFS= read -r -t $((300 * PATIENCE)) line <"/run/xt.$1.out"
	printf '%s\n' "$line"
}

# xt_serve_stop NAME: ends the process of the session NAME
xt_serve_stop()
{
	kill "$(<"/run/xt.$1.pid")"
	rm "/run/xt.$1".*
}

# xt_every_op OCTETS [WORD...]: runs each operation from EP_A to EP_B: atomic operations once, and
# the other operations with 8, 4096 and OCTETS octets. WORDs are further arguments of Write with
# Immediate.
xt_every_op()
{
	local op len words
	for op in send write read write_imm fetchadd cmpswp mfetchadd mcmpswp; do
		for len in 8 4096 "$1"; do
			case $op in *add | *swp) [ $len = 8 ] || continue ;; esac
			words=()
			case $op in
			send) xt b recv "ep=$EP_B" buf=m off=4M len=1M ;;
			write_imm)
				xt b recv "ep=$EP_B" len=0
				words=("${@:2}") ;;
			esac
			xt_wc SUCCESS a wr "ep=$EP_A" op=$op buf=m len=$len "${words[@]}"
		done
	done
}

# xt_notified: prints how often the CQ for the receives of EP_B has notified its consumer
xt_notified()
{
	xt b query "ep=$EP_B"
	printf '%s' "${XT[recv_notified]}"
}
xt_notified_is() { [ "$(xt_notified)" -eq "$1" ]; }

# xt_notifies BEFORE WORD...: waits until the CQ for the receives of EP_B has notified its consumer
# BEFORE + 1 times. The WORDs describe the operation of EP_A in the output.
xt_notifies()
{
	wait_for 10 xt_notified_is $(($1 + 1)) ||
		fail "${*:2}: $(xt_notified) notifications, not $(($1 + 1))"
}

# xt_solicits LENGTH WORD...: checks that only an operation with the Solicited Event flag notifies
# the consumer of the receive CQ of EP_B. Arms this CQ for solicited completions only. Then runs the
# operation WORD... of EP_A without and with the flag. LENGTH is the length of the receives.
xt_solicits()
{
	local before
	xt b recv "ep=$EP_B" buf=m off=2M "len=$1" n=2
	xt b arm "ep=$EP_B" q=recv solicited=1
	before=${XT[notified]}
	xt_wc SUCCESS a wr "ep=$EP_A" buf=m "${@:2}" imm=1
	# The Read completes after side b has reported the completion of the receive. So the next
	# check detects a notification that this completion has caused.
	xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m off=4M len=8
	equal "${*:2} without SE notifies" "$before" "$(xt_notified)"
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_wc SUCCESS a wr "ep=$EP_A" buf=m "${@:2}" imm=1 se=1
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_notifies "$before" "${@:2}" se=1
}
