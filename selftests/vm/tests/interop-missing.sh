# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Between xiw and siw, some operations fail: siw does not support them, or their receiver must
# refuse them. Each end reports an error in time, and neither end hangs. In Terminates of siw, layer
# and type are swapped, and the data after the code is shorter than the RFC requires. xiw interprets
# these Terminates. [R-TRM-006]
# topology: one netns
# kernels: all
# rnic: soft
# timeout: 240
# not-debug: lockdep reports siw's own locks, and then it stops checking
# shellcheck shell=bash

# ends_apart: checks that the connection has ended at both ends, and that the QP of xiw is in error.
# The QP of siw is not checked, because siw reports the end before its QP is in error. Then closes
# both ends
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

# terminates SENT RECEIVED: checks the numbers of Terminates that the xiw device has sent and
# received
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
	# The correct Terminate is 0/2/0x06 (layer/type/code), unexpected opcode. siw sends
	# 2/0/0x06.
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
# The work request may complete before siw has processed the message.
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
# The correct Terminate is 0/1/0x01, bounds violation. siw sends 1/0/0x01.
xt_wc REM_ACCESS_ERR a wr op=read buf=m off=4M len=8 roff=1048576
ends_apart
meet
# The correct Terminate is 0/1/0x00, invalid STag. siw sends 1/0/0x00, which is also a valid
# Terminate, but with another meaning.
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
	# siw does not free the slot of a refused work request, so no more work requests can be
	# posted on this connection. Use a new connection for each operation.
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
