# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A ULP disconnects and destroys its QP after its Sends have completed. At this time, TCP has not
# yet sent their octets. TCP delivers these Sends, and neither end resets the connection. A Send
# that the ULP posts after the disconnect is flushed (DEC-75).
# topology: netns pair
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

xt_up
xt_pair
xt_listen
xt_join
xt b recv "ep=$EP_B" buf=m off=2M len=100000 n=3

say "no link: TCP keeps the Sends"
on_a ip link set "$DEV_A" down
for len in 4000 3000 8; do
	xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m len=$len
done
xt a disconnect "ep=$EP_A"
xt a close "ep=$EP_A"
on_a ip link set "$DEV_A" up

say "the link is back"
for len in 4000 3000 8; do
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_is byte_len $len
done
xt b wait "ep=$EP_B" state=disconnected
xt b query "ep=$EP_B"
xt_is qp_events ""
equal "connections lost by a" 0 "$(counter a aborts)"
equal "connections lost by b" 0 "$(counter b aborts)"
xt b close ep=all

say "a Send that is posted while the stream closes is flushed, and not refused"
xt_listen
xt_join
on_a ip link set "$DEV_A" down
xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m len=8
xt a disconnect "ep=$EP_A"
xt a post "ep=$EP_A" op=send buf=m len=8
on_a ip link set "$DEV_A" up
xt_wc WR_FLUSH_ERR a wc "ep=$EP_A" q=send
