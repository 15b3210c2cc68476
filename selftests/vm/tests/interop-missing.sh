# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Operations that xiw supports and siw does not, and operations that either end must refuse. Both
# ends get an error in time and never hang. In siw's Terminates, layer and type are swapped, and the
# data after the code is shorter than the RFC requires. xiw interprets them. [R-TRM-006]
# topology: one netns
# kernels: all
# rnic: soft
# timeout: 240
# not-debug: lockdep reports siw's own locks, and then it stops checking
# shellcheck shell=bash

# ends_apart: checks that the connection has ended at both ends, and that xiw's QP is in error.
# siw reports the end before its QP is in error
ends_apart()
{
	xt a wait "ep=$EP_A" state=disconnected
	xt b wait "ep=$EP_B" state=disconnected
	local -n ep=EP_${XIW_SIDE^^}
	xt "$XIW_SIDE" query "ep=$ep"
	xt_is qp_state ERR
	xt_is ghosts 0
	xt a close "ep=$EP_A"
	xt b close ep=all
}

# terminates SENT RECEIVED: checks the numbers of Terminates that the xiw device has counted
terminates()
{
	xiw_tool --json stat --all "$XIW_DEV" >/tmp/told.json || fail "xiw stat"
	equal "Terminates of xiw" "[$1,$2]" "$(jq -c \
		'.counters[0].counters | [.terminates_sent, .terminates_received]' /tmp/told.json)"
}

ends xiw siw
for op in fetchadd cmpswp mfetchadd mcmpswp; do
	say "$op to siw"
	meet
	xt b poke buf=m val=5
	# unexpected opcode, 0/2/0x06, on the wire as 2/0/0x06
	xt_wc REM_INV_REQ_ERR a wr op=$op add=1 cmp=5 swap=7
	xt b peek buf=m
	xt_is val 0x0000000000000005
	ends_apart
done
say "a ULP asks siw first"
meet
xt a probe
xt_is atomics no
ends_apart
say "Immediate to siw"
meet
xt b recv "ep=$EP_B" buf=m off=2M len=4096
xt a fill buf=m len=4096 seed=3
xt_try a wr op=write_imm buf=m len=4096 imm=7
# after the Send has left the queue, nothing shows whether siw has received it
[[ ${XT[wc]-} == @(SUCCESS|REM_INV_REQ_ERR) ]] || fail "${XT[0]}"
xt_wc WR_FLUSH_ERR b wc "ep=$EP_B"
ends_apart
say "Send with Immediate to siw"
xiw_set send-with-immediate=on
meet
xt b recv "ep=$EP_B" buf=m off=2M len=4096
xt_try a wr op=send_imm buf=m len=4096 imm=7
[[ ${XT[wc]-} == @(SUCCESS|REM_INV_REQ_ERR) ]] || fail "${XT[0]}"
xt a wait "ep=$EP_A" state=disconnected
xt a query "ep=$EP_A"
xt_is qp_events QP_REQ_ERR
xt_wc WR_FLUSH_ERR b wc "ep=$EP_B"
ends_apart
terminates 0 7

say "what siw must refuse, and xiw has to understand"
meet
# bounds, 0/1/0x01, on the wire as 1/0/0x01
xt_wc REM_ACCESS_ERR a wr op=read buf=m off=4M len=8 roff=1048576
ends_apart
meet
# invalid STag, 0/1/0x00, on the wire as 1/0/0x00, which is another valid code
xt_wc FATAL_ERR a wr op=read buf=m off=4M len=8 "rkey=0x77777700" raddr=0
ends_apart
meet
xt_try a wr op=write buf=m len=100000 "rkey=0x77777700" raddr=0
[[ ${XT[wc]-} == @(SUCCESS|REM_ACCESS_ERR|WR_FLUSH_ERR) ]] || fail "${XT[0]}"
ends_apart
terminates 0 10

ends siw xiw
for op in fetchadd write_imm; do
	say "siw sends no $op"
	meet
	xt_err EINVAL a wr op=$op add=1 buf=m len=8 imm=1
	# siw does not free the slot of a refused work request, so no more requests can be posted.
	parted
done
say "what xiw must refuse"
meet
xt_try a wr op=read buf=m off=4M len=8 "rkey=0x77777700" raddr=0
xt_is wc WR_FLUSH_ERR
ends_apart
meet
xt b fill buf=m off=2M len=4096 byte=170
xt_try a wr op=write buf=m len=4096 "rkey=0x77777700" raddr=0
[[ ${XT[wc]-} == @(SUCCESS|WR_FLUSH_ERR|LOC_QP_OP_ERR) ]] || fail "${XT[0]}"
ends_apart
terminates 2 0
xt b check buf=m off=2M len=4096 byte=170

say "and now one that works"
meet
xt_wc SUCCESS a wr op=read buf=m off=4M len=4096
parted
ends_down
