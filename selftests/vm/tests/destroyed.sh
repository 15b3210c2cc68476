# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A ULP destroys a QP, and does not wait for the end of its stream. If the stream is open, the peer
# receives a Terminate. If the ULP has disconnected before, the peer receives a FIN. In neither case
# does the RNIC reset the connection, and the peer receives all Sends that have completed.
# topology: one netns pair
# kernels: all
# timeout: 120
# shellcheck shell=bash

ROUNDS=20
SENDS=8

# ended OPTION...: connects, completes Sends, and closes the endpoint of side a with OPTION... Checks
# that side b has received the Sends.
ended()
{
	local i
	xt_join
	xt b recv "ep=$EP_B" buf=m off=2M len=1000 n=$SENDS
	for ((i = 0; i < SENDS; i++)); do
		xt_wc SUCCESS a wr "ep=$EP_A" op=send buf=m len=1000
	done
	xt a close "ep=$EP_A" "$@"
	for ((i = 0; i < SENDS; i++)); do
		xt_wc SUCCESS b wc "ep=$EP_B"
	done
	xt b wait "ep=$EP_B" state=disconnected
	xt b close "ep=$EP_B"
}

xt_up
xt_pair
xt_listen

say "destroy an open QP"
sent=$(counter a terminates_sent) received=$(counter b terminates_received)
for ((round = 1; round <= ROUNDS; round++)); do ended abrupt=1; done
equal "Terminates received" $ROUNDS $(($(counter b terminates_received) - received))
equal "Terminates sent" $ROUNDS $(($(counter a terminates_sent) - sent))

say "disconnect, and destroy the QP"
received=$(counter b terminates_received)
for ((round = 1; round <= ROUNDS; round++)); do ended; done
equal "Terminates received" 0 $(($(counter b terminates_received) - received))
equal "connections lost by a" 0 "$(counter a aborts)"
equal "connections lost by b" 0 "$(counter b aborts)"
