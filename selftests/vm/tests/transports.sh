# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs one program over InfiniBand's transport (the kernel's rxe) and over xiw. The test records the
# results at each end and the contents of memory, and compares both runs. transports.tsv lists every
# expected difference with its reason. The test fails if any other difference occurs, or if a listed
# difference does not occur. The listed results of rxe are those of the stable kernel.
# topology: one
# kernels: stable
# rnic: soft
# timeout: 240
# not-debug: other tests use the same program, and rxe is not part of this project
# shellcheck shell=bash

TABLE=/lab/in/tests/transports.tsv
NL=$'\n' RKEY=''

# step NAME: begins the step NAME; fact NAME VALUE: records a result of this step
step() { STEP=$*; }
fact() { printf '%s\t%s\t%s\n' "$STEP" "$1" "$2" >>"$OUT/$XIW_TEST_TYPE"; }

# tell FACT: records the completion or the errno of the last answer under the name FACT
tell()
{
	local text key
	if [ "${XT[status]-}" != ok ]; then
		fact "$1" "${XT[errno]}"
		return
	fi
	text=${XT[wc]}
	[ -z "${XT[op]-}" ] || text+=" ${XT[op]}"
	case ${XT[q]},${XT[op]-} in
	send,RDMA_WRITE | send,SEND) ;;	# these completions have no valid byte_len
	*) [ -z "${XT[byte_len]-}" ] || text+=" byte_len=${XT[byte_len]}" ;;
	esac
	for key in imm result; do
		[ -z "${XT[$key]-}" ] || text+=" $key=${XT[$key]}"
	done
	# Each device chooses its own keys, so only record whether the key is RKEY.
	if [ "${XT[inv]-}" ]; then
		if [ "${XT[inv]}" = "$RKEY" ]; then text+=" inv=key"; else text+=" inv=?"; fi
	fi
	fact "$1" "$text"
}

# wr WORD...: posts a work request on side a and records its completion; came [FACT]: records the
# completion of a receive of side b; receive [LEN [N]]: posts N receives of LEN octets on side b
wr() { xt_try a wr "ep=$EP_A" "$@" || :; tell a; }
came() { xt_try b wc "ep=$EP_B" q=recv || :; tell "${1-b}"; }
receive() { xt b recv "ep=$EP_B" buf=m off=2M "len=${1-4096}" stride=4096 "n=${2-1}"; }
# memory SIDE OFF [LEN]: records a hash of LEN octets (default 4096) at OFF of the buffer of SIDE
memory()
{
	xt "$1" dump buf=m "off=$2" "len=${3-4096}"
	fact "$1 memory $2" "$(md5sum <<<"${XT[hex]}" | cut -c1-8)"
}

fresh()
{
	xt a fill buf=m len=64K seed=5
	xt a fill buf=m off=64K len=64K byte=187
	xt b fill buf=m len=64K byte=170
	xt b fill buf=m off=2M len=64K byte=204
}

messages()
{
	local len i
	for len in 0 100 4096; do
		step "Send of $len"
		fresh
		receive
		wr op=send buf=m "len=$len"
		came
		memory b 2M
	done
	step "Send in pieces"
	fresh
	receive
	wr op=send buf=m len=3000 sges=3
	came
	memory b 2M
	step "Sends and an Immediate, posted at once"
	fresh
	receive 4096 3
	xt a post "ep=$EP_A" op=send buf=m len=10 more=1 signal=0
	xt a post "ep=$EP_A" op=write_imm buf=m len=20 imm=1 more=1
	xt a post "ep=$EP_A" op=send buf=m len=30 se=1
	for i in 1 2; do
		xt_try a wc "ep=$EP_A" || :
		tell "a $i"
	done
	for i in 1 2 3; do came "b $i"; done
	memory b 0
	memory b 2M
	step "Send before the receive"
	fresh
	xt a post "ep=$EP_A" op=send buf=m len=100
	receive
	xt_try a wc "ep=$EP_A" || :
	tell a
	came
	memory b 2M
	step "Send with Immediate"
	fresh
	receive
	wr op=send_imm buf=m len=100 imm=7
	if [ "${XT[status]}" = ok ]; then
		came
	else
		# The receive is still posted, so let a Send consume it.
		xt a wr "ep=$EP_A" op=send len=0
		xt b wc "ep=$EP_B"
	fi
}

remote()
{
	local len
	for len in 0 100 4096; do
		step "Write of $len"
		fresh
		wr op=write buf=m "len=$len"
		# The response to this Read shows that the Write has been placed.
		xt a wr "ep=$EP_A" op=read buf=m off=68K len=8
		memory b 0
		step "Read of $len"
		fresh
		xt b fill buf=m len=8K seed=6
		wr op=read buf=m off=64K "len=$len"
		memory a 64K
		step "Write with Immediate of $len"
		fresh
		receive
		wr op=write_imm buf=m "len=$len" imm=0x89abcdef
		came
		memory b 0
		memory b 2M
		step "Write with Immediate of $len, a receive of nothing"
		fresh
		xt b recv "ep=$EP_B" len=0
		wr op=write_imm buf=m "len=$len" imm=0x1234 se=1
		came
		memory b 0
	done
	step "Read, and a Write with a fence behind it"
	fresh
	xt b fill buf=m len=8K seed=6
	xt a post "ep=$EP_A" op=read buf=m off=64K len=4096 roff=4096 more=1
	xt a post "ep=$EP_A" op=write buf=m off=64K len=4096 fence=1
	for len in 1 2; do
		xt_try a wc "ep=$EP_A" || :
		tell "a $len"
	done
	xt a wr "ep=$EP_A" op=read buf=m off=68K len=8
	memory b 0
}

# word NAME VALUE WORD...: stores VALUE in a word of the memory of side b. Runs the atomic WORD... on
# this word, as the step NAME. Records the completion, and the new value of the word in memory.
word()
{
	step "$1"
	xt b poke buf=m "val=$2"
	wr "${@:3}"
	xt b peek buf=m
	fact "b word" "${XT[val]}"
}

atomics()
{
	word "FetchAdd" 0x00000000fffffffe op=fetchadd add=3
	word "FetchAdd around" 0xffffffffffffffff op=fetchadd add=1
	word "FetchAdd of nothing" 5 op=fetchadd add=0
	word "CmpSwap that hits" 0x1122334455667788 op=cmpswp cmp=0x1122334455667788 swap=9
	word "CmpSwap that misses" 0x1122334455667788 op=cmpswp cmp=0 swap=9
	word "masked FetchAdd" 0xffffffff op=mfetchadd add=1 mask=0x80000000
	word "masked CmpSwap" 0x1122334455667788 op=mcmpswp cmp=0x88 cmask=0xff swap=0 smask=0xf0
	step "chain of CmpSwaps"
	xt b poke buf=m val=0
	for i in 0 1 2 3 4 5 6; do
		xt a post "ep=$EP_A" op=cmpswp "cmp=$i" "swap=$((i + 1))" more=1
	done
	xt_try a wr "ep=$EP_A" op=fetchadd add=0 || :
	tell a
	for i in 0 1 2 3 4 5 6; do
		xt_try a wc "ep=$EP_A" || :
		tell "a $i"
	done
}

region()
{
	xt b reg "ep=$EP_B" name=r buf=m off=2M len=4096 "$@"
	RKEY=${XT[rkey]} ADDR=${XT[addr]}
}

invalidations()
{
	step "invalidated by its owner"
	region
	xt_try b wr "ep=$EP_B" op=local_inv "inv=$RKEY" || :
	tell b
	step "invalidated by a Send"
	fresh
	xt b dereg name=r
	region
	xt b recv "ep=$EP_B" buf=m off=2101248 len=4096
	wr op=send_inv buf=m len=50 "inv=$RKEY"
	came
	memory b 2101248
	step "registered again"
	region
	wr op=read buf=m off=64K len=16 "rkey=$RKEY" "raddr=$ADDR"
	xt b dereg name=r
}

qp_fact()
{
	fact "$1 QP" "${XT[qp_state]}"
	fact "$1 events" "${XT[qp_events]:-none}"
}

# refused OP WHY KEY=VALUE...: posts OP, which is refused because of KEY=VALUE, and a Read after it.
# Records the completions of the two operations, and the memory and the state of each end. Then
# makes a new connection. WHY: text for the name of the step
refused()
{
	local side
	step "$1, $2"
	fresh
	xt b recv "ep=$EP_B" buf=m off=2101248 len=4096
	wr "op=$1" buf=m off=64K len=8 "${@:3}"
	xt_try a wr "ep=$EP_A" op=read buf=m off=64K len=8 || :
	tell "a next"
	memory a 64K
	memory b 2M 8192
	for side in a b; do
		local -n ep=EP_${side^^}
		xt_try $side wait "ep=$ep" state=disconnected "timeout=$AWAIT" || :
		xt $side query "ep=$ep"
		fact "$side connection" "${XT[state]}"
		qp_fact $side
	done
	[ "${XT[state]}" = disconnected ] || xt a disconnect "ep=$EP_A"
	xt a wait "ep=$EP_A" state=disconnected
	xt b wait "ep=$EP_B" state=disconnected
	came
	xt_try b dereg name=r || xt_is errno ENOENT
	xt_rejoin
}

errors()
{
	local op access rejoin=''
	xt b listen "addr=$IP_B" port=7307 export=m export_len=64K pd=1
	for op in write read fetchadd cmpswp; do
		region
		refused $op "another key" "rkey=$((RKEY ^ 1))" "raddr=$ADDR"
		region
		refused $op "behind the end" "rkey=$RKEY" "raddr=$((ADDR + 4096))"
		case $op in
		write) access=lw,rr,ra ;;
		read) access=lw,rw,ra ;;
		*) access=lw,rw,rr ;;
		esac
		region access=$access
		refused $op "no right" "rkey=$RKEY" "raddr=$ADDR"
		# For the cases below, Write and FetchAdd represent all operations.
		[[ $op == @(write|fetchadd) ]] || continue
		region
		xt b wr "ep=$EP_B" op=local_inv "inv=$RKEY"
		refused $op "invalidated" "rkey=$RKEY" "raddr=$ADDR"
		xt a connect "addr=$IP_B" port=7307
		RKEY=${XT[rkey]} ADDR=${XT[raddr]}
		xt a close
		refused $op "another domain" "rkey=$RKEY" "raddr=$ADDR"
	done
	region
	refused write_imm "no such key" "rkey=$((RKEY ^ 1))" "raddr=$ADDR" imm=3
	step "fetchadd, not aligned"
	fresh
	region
	wr op=fetchadd "rkey=$RKEY" "raddr=$((ADDR + 4))" add=1
	if [ "${XT[status]}" = ok ]; then xt_ended; rejoin=1; fi
	memory b 2M
	xt b dereg name=r
	[ -z "$rejoin" ] || xt_rejoin
}

ends()
{
	step "closed by a"
	receive 4096 2
	xt a recv "ep=$EP_A" buf=m off=2M len=8
	xt a disconnect "ep=$EP_A"
	xt a wait "ep=$EP_A" state=disconnected
	xt b wait "ep=$EP_B" state=disconnected
	came "b 1"
	came "b 2"
	xt_try a wc "ep=$EP_A" || :
	tell a
	for side in a b; do
		local -n ep=EP_${side^^}
		xt $side query "ep=$ep"
		qp_fact $side
	done
	step "posted to a dead QP"
	wr op=write buf=m len=8
	xt a recv "ep=$EP_A" buf=m off=2M len=8
	xt_try a wc "ep=$EP_A" || :
	tell "a recv"
	xt_part
}

# solicited: records how often the CQ of side b notifies its consumer if only solicited completions
# are requested
solicited()
{
	local op se before
	for op in send write_imm; do
		for se in 0 1; do
			step "$op with SE=$se to a CQ armed for solicited"
			receive 8
			xt b arm "ep=$EP_B" q=recv solicited=1
			before=${XT[notified]}
			wr op=$op buf=m len=8 imm=1 se=$se
			xt a wr "ep=$EP_A" op=read buf=m off=64K len=8
			xt b wc "ep=$EP_B"
			wait_for 2 notified_by $((before + se)) || :
			fact "b woken" "$((${XT[recv_notified]} - before))"
		done
	done
}
notified_by() { xt b query "ep=$EP_B" && [ "${XT[recv_notified]}" -eq "$1" ]; }

program()
{
	xt_up
	xt_pair
	xt_listen
	xt_join
	messages
	remote
	atomics
	invalidations
	errors
	ends
	xt b close ep=all
	xt_listen poll=event split=1
	xt_join
	solicited
	xt_part
	xt b close ep=all
	xt_clean a
	xt_clean b
	xt_close a
	xt_close b
	unload xiw_test
	rdma_down
}

# AWAIT: time for a connection to close by itself after an error, in milliseconds
XIW_TEST_TYPE=rxe AWAIT=100
program
unload rdma_rxe
XIW_TEST_TYPE=xiw AWAIT=$((30000 * PATIENCE))
program

declare -A RXE=() XIW=() SEEN=()
KEYS=() STEPS=() FACTS=() LEFT=() RIGHT=() bad=0
while IFS=$'\t' read -r s f value; do
	RXE[$s$'\t'$f]=$value
	KEYS+=("$s"$'\t'"$f")
done <"$OUT/rxe"
while IFS=$'\t' read -r s f value; do
	[ "${RXE[$s$'\t'$f]+there}" ] || KEYS+=("$s"$'\t'"$f")
	XIW[$s$'\t'$f]=$value
done <"$OUT/xiw"
while IFS=$'\t' read -r s f left right why; do
	[[ $s != '#'* && $s ]] || continue
	[ "$why" ] || fail "no reason: $s, $f"
	STEPS+=("$s") FACTS+=("$f") LEFT+=("$left") RIGHT+=("$right")
done <"$TABLE"
for key in "${KEYS[@]}"; do
	left=${RXE[$key]-nothing} right=${XIW[$key]-nothing} row=''
	for i in "${!STEPS[@]}"; do
		# shellcheck disable=SC2053
		[[ ${key%$'\t'*} != ${STEPS[i]} || ${key#*$'\t'} != ${FACTS[i]} ]] || row=$i
	done
	if [ -z "$row" ]; then
		[ "$left" != "$right" ] || continue
	else
		SEEN[$row]=1
		[ "$left|$right" != "${LEFT[row]}|${RIGHT[row]}" ] || continue
	fi
	bad=$((bad + 1))
	say "${key/$'\t'/, }${NL}    rxe: $left${NL}    xiw: $right${row:+$NL    the table: ${LEFT[row]} | ${RIGHT[row]}}"
done
for i in "${!STEPS[@]}"; do
	[ "${SEEN[$i]-}" ] || { say "not seen: ${STEPS[i]}, ${FACTS[i]}"; bad=$((bad + 1)); }
done
say "${#KEYS[@]} facts, ${#STEPS[@]} kinds of differences"
equal "differences that the table does not have" 0 $bad
