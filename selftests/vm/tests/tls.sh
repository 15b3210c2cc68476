# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# If side a requires TLS and side b accepts or requires it, all operations run through TLS, and a
# capture contains no MPA frame in the clear. Connections that the settings `tls` do not permit fail
# at both ends within a limited time.
# topology: netns
# kernels: stable newest
# rnic: soft
# timeout: 300
# shellcheck shell=bash

# tls SIDE VALUE: sets `tls` of SIDE to VALUE (off, accept or require)
tls() { expect "tls=$2" on_"$1" xiw config set "$(rd_of "$1")" "tls=$2"; }

# cipher SIDE LAYERS: checks that xiw conn of SIDE shows no cipher if LAYERS is "none", and
# otherwise AES-256-GCM, which GnuTLS prefers
cipher()
{
	local cipher=null
	[ "$2" = none ] || cipher='"aes-gcm-256"'
	told_is "$1" "$cipher" '.connections[] | select(.role != "listener") | .tcp.cipher' \
		conn "$(rd_of "$1")" --detail
}

# works LAYERS: makes a connection, checks that xiw conn shows LAYERS (tls or none) at both ends,
# and compares data
works()
{
	local before handshakes=1
	say "encrypted by $1"
	[ "$1" = tls ] || handshakes=0
	before=$(counter b tls_handshakes)
	xt_join
	layers a "$1"
	layers b "$1"
	cipher a "$1"
	cipher b "$1"
	equal "handshakes" $((before + handshakes)) "$(counter b tls_handshakes)"
	xt_every_op 100000
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=100 verify=1
	xt b fill buf=m len=1M seed=9
	xt a run "ep=$EP_A" op=read buf=m off=4M len=20011 qd=8 count=48 verify=1 seed=9
	xt a run "ep=$EP_A" op=write buf=m off=4M len=60001 qd=8 count=20 verify=1
	xt_part
}

# mpa NAME: prints how many lines of the capture NAME.pcap contain the key of an MPA Request or
# Reply
mpa() { grep -a -c 'MPA ID Re' "$OUT/$1.pcap" || :; }

xt_up
xt_pair
xt_listen
capture plain.pcap tcp
works none
captured
[ "$(mpa plain)" -ge 2 ] || fail "no MPA frame in the clear: $(mpa plain)"

say "no agent"
tls a require
xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"
equal "doctor" "warn: $RD_A uses TLS, but tlshd does not run" "$(verdict encryption)"
tls_up

say "only the initiator"
xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"

say "both"
tls b accept
works tls
tls b require
capture tls.pcap tcp
works tls
captured
equal "MPA frames in the clear" 0 "$(mpa tls)"
for name in plain tls; do
	capture_flag $name.pcap rst
	equal "resets in $name.pcap" 0 ${#FRAMES[@]}
done

# refused: checks that a connect fails because side a does not accept the certificate of side b
refused()
{
	local before
	before=$(counter a tls_errors)
	xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"
	equal "failed handshakes" $((before + 1)) "$(counter a tls_errors)"
}

say "a certificate for another address, and of another authority"
expect "another address" tls_certificate b 192.0.2.1
refused
expect "another authority" tls_self_signed b "$IP_B"
refused
expect "the right certificate" tls_certificate b "$IP_B"
works tls

# The server checks the certificate of the client only after the client has finished its handshake.
# So the client does not report a failed handshake (ENOKEY). Instead, its connect fails with one of
# several errnos when the server ends the connection.
say "an initiator of another authority, and one without a certificate"
expect "another authority" tls_self_signed a "$IP_A"
! xt_try a connect "addr=$IP_B" "port=$XT_PORT" || fail "connected: ${XT[0]}"
tls_down
sed -i '/authenticate.client/,/^$/ { /certificate=/d; /private_key=/d }' $TLS_DIR/a.conf
tls_start
! xt_try a connect "addr=$IP_B" "port=$XT_PORT" || fail "connected: ${XT[0]}"
tls_down
expect "the right certificate" tls_certificate a "$IP_A"
tls_config a >$TLS_DIR/a.conf
tls_start
works tls

# hello OCTETS [PORT]: connects to PORT of side b (default XT_PORT) over plain TCP, sends OCTETS
# (text for printf), and waits until side b closes
hello()
{
	local rc=0
	on_a timeout $((20 * PATIENCE)) bash -c "exec 3<>/dev/tcp/$IP_B/${2-$XT_PORT} && printf '$1' >&3 &&
		cat <&3 >/dev/null" || rc=$?
	[ "$rc" -ne 124 ] || fail "side b does not close after $1"
}

say "peers without a valid hello"
expect "a short time limit" on_b xiw config set "$RD_B" startup-time=1s
hello '\x16'
hello '\x16\x03\x01\x00\x05hello'
hello 'MPA ID Req Frame'
hello ''
expect "the usual time limit" on_b xiw config set "$RD_B" startup-time=10s
works tls

say "only the responder"
tls a off
xt_err ECONNRESET a connect "addr=$IP_B" "port=$XT_PORT"
tls b accept
works none

# handshakes: prints how many handshakes the agent of side b has begun; begins COUNT: succeeds if
# this number is above COUNT
handshakes() { grep -c Querying "$OUT/tlshd-b.log"; }
begins() { [ "$(handshakes)" -gt "$1" ]; }

say "a peer that waits for the slot of another peer has its full time for the handshake"
tls a require
xt b listen "addr=$IP_B" port=7307 hello=0 backlog=1
before=$(handshakes)
hello '\x16' 7307 &
peers=($!)
expect "a handshake that does not end" wait_for 10 begins "$before"
# The listener has only one slot. It limits the time for the handshake in this slot only while
# another peer waits for the slot. So let another peer arrive one second after side a.
{ sleep 1; hello 'MPA ID Req Frame' 7307; } &
peers+=($!)
xt a connect "addr=$IP_B" port=7307 hello=0
layers a tls
xt a close "ep=${XT[ep]}"
for peer in "${peers[@]}"; do wait "$peer" || fail "side b does not close a peer"; done
tls a off

say "a listener that ends during a handshake"
before=$(handshakes)
hello '\x16' &
expect "a handshake" wait_for 10 begins "$before"
expect "no listener" xt b close ep=all
wait $!
tls b off
xiw_clean
