# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Peers begin an FPDU and do not finish it. The RNIC ends the connection of each such peer after
# peer-time. Even if such peers fill the staging memory of the device, another peer can still send
# an FPDU in parts.
# topology: one
# kernels: all
# rnic: soft
# memory: 2048
# timeout: 300
# shellcheck shell=bash

xt_up
xt_pair
configure crc=off
ulimit -n 4096

say "an FPDU that does not become whole"
configure peer-time=2s
xt_listen hello=0 rq=4 sq=4 backlog=2048
START=$(now_ms)
raw_up "$XT_PORT" half 3 30000
raw_prints 'open 3' 20
raw_prints 'ended 3' 20
took=$(($(now_ms) - START))
[ $took -ge 1900 ] || fail "ended after $took ms"
xt b wait ep=all state=disconnected n=3
equal "streams lost" 3 "$(counter b aborts)"
equal "framing errors" 3 "$(counter b rx_framing_errors)"
equal "dropped FPDUs" 3 "$(counter b rx_drops)"
xt b close ep=all
raw_down kill

say "1,100 of them, and a peer whose FPDU comes in parts"
configure peer-time=3600s
xt_listen hello=0 rq=4 sq=4 backlog=2048
raw_up "$XT_PORT" half 1100 65000
raw_prints 'open 1100' 120
xt b wait ep=all state=ready n=1100
staged=$(counter b rx_staged)
exec {PARTS}< <(exec /run/guest/tcp-peer "$IP_B" "$XT_PORT" parts 60 2>&1)
read -r -t $((20 * PATIENCE)) -u "$PARTS" line || fail "the other peer says nothing"
equal "the other peer" 'open 1' "$line"
xt b wait ep=all state=ready n=1101
EP_B=${XT[ep]}
xt b recv "ep=$EP_B" buf=m off=2M len=100
xt_wc SUCCESS b wc "ep=$EP_B" timeout=$((10000 * PATIENCE))
xt_is byte_len 100
[ "$(counter b rx_staged)" -gt "$staged" ] || fail "the FPDU was not staged"
raw_down kill
xt b wait ep=all state=disconnected n=1100
xt b close ep=all
exec {PARTS}<&-
xiw_clean
