# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The RNIC treats urgent data of TCP as ordinary data. It processes an FPDU with urgent data like
# any other FPDU, and also processes later data and a FIN.
# topology: one
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

xt_up
xt_pair
configure crc=off
xt_listen hello=0 rq=4 sq=4

raw_up "$XT_PORT" urgent
raw_prints 'open 1' 20
xt b wait ep=all state=ready
EP_B=${XT[ep]}

say "Sends whose last octet is urgent"
for i in 1 2; do
	xt b recv "ep=$EP_B" buf=m off=2M len=100
	raw_go
	xt_wc SUCCESS b wc "ep=$EP_B" timeout=$((5000 * PATIENCE))
	xt_is byte_len 100
done

say "an urgent octet that begins an FPDU, and then a FIN instead of the rest"
raw_eof
xt b wait "ep=$EP_B" state=disconnected timeout=$((5000 * PATIENCE))
equal "streams lost" 1 "$(counter b aborts)"
raw_prints 'ended 1' 5
raw_down
xt b close ep=all
xiw_clean
