# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A Send of a peer waits for a receive. Behind this Send, thousands of FPDUs of the shortest kind
# wait in TCP. When the receive is posted, each poll processes only a limited number of these FPDUs.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

WRITES=20000

xt_up
xt_pair
configure crc=off park-time=30s
RMEM=$(on_b sysctl -n net.ipv4.tcp_rmem)
# TCP must have room for all FPDUs at the same time.
expect "room in TCP" on_b sysctl -qw net.ipv4.tcp_rmem='4096 4194304 6291456'
xt_listen hello=0 rq=4 sq=4
exec {PEER}< <(exec /run/guest/tcp-peer "$IP_B" "$XT_PORT" writes $WRITES 2>&1)
read -r -t $((20 * PATIENCE)) -u "$PEER" line
equal "the peer" 'open 1' "$line"
xt b wait ep=all state=ready
EP_B=${XT[ep]}
read -r -t $((20 * PATIENCE)) -u "$PEER" line
equal "the peer" "sent $WRITES" "$line"
# waiting: prints how many octets wait in TCP
waiting() { ss -tnoH state established "sport = $XT_PORT" | awk '{ n += $1 } END { print n + 0 }'; }
all_wait() { [ "$(waiting)" -ge $((20 * WRITES)) ]; }
wait_for 20 all_wait || fail "$(waiting) octets wait in TCP"

before=$(counter b polls)
xt b recv "ep=$EP_B" buf=m off=2M len=100
xt_wc SUCCESS b wc "ep=$EP_B"
all_taken() { [ "$(waiting)" = 0 ]; }
wait_for 20 all_taken || fail "$(waiting) octets wait in TCP"
took=$(($(counter b polls) - before))
say "$WRITES FPDUs took $took polls"
# A poll processes at most 1,024 FPDUs of a stream (XIW_RX_PASS_FPDUS).
[ $took -ge $((WRITES / 1024)) ] || fail "$took polls are too few"

xt b close ep=all
read -r -t $((20 * PATIENCE)) -u "$PEER" line
equal "the peer" 'ended 1' "$line"
exec {PEER}<&-
on_b sysctl -qw net.ipv4.tcp_rmem="$RMEM"
xiw_clean
