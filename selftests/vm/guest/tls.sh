# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# TLS: certificates, and the agent tlshd, which performs TLS handshakes for the kernel.
# shellcheck shell=bash

TLS_DIR=/tmp/tls

# tls_certificate NAME ADDRESS...: makes a key, and a certificate for these addresses. The CA signs
# the certificate. The files are TLS_DIR/NAME.key and TLS_DIR/NAME.pem.
tls_certificate()
{
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
		-keyout "$TLS_DIR/$1.key" -out "$TLS_DIR/$1.csr" &&
		printf 'subjectAltName=%s\n' "$(printf 'IP:%s\n' "${@:2}" | paste -s -d ,)" \
			>"$TLS_DIR/$1.ext" &&
		openssl x509 -req -in "$TLS_DIR/$1.csr" -CA "$TLS_DIR/ca.pem" \
			-CAkey "$TLS_DIR/ca.key" -CAcreateserial -days 30 \
			-extfile "$TLS_DIR/$1.ext" -out "$TLS_DIR/$1.pem"
}

# tls_self_signed NAME ADDRESS: like tls_certificate, but signs the certificate with its own key
# instead of the CA's key
tls_self_signed()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
		-subj "/CN=$1" -addext "subjectAltName=IP:$2" -keyout "$TLS_DIR/$1.key" \
		-out "$TLS_DIR/$1.pem"
}

# tls_authority: makes the key and the certificate of the CA
tls_authority()
{
	mkdir -p "$TLS_DIR" &&
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
			-subj /CN=CA -keyout "$TLS_DIR/ca.key" -out "$TLS_DIR/ca.pem"
}

# tls_config NAME: prints the agent's configuration for a side that uses the certificate NAME
tls_config()
{
	local role
	printf '[debug]\nloglevel=1\ntls=1\nnl=0\n\n[authenticate]\n'
	for role in client server; do
		printf '\n[authenticate.%s]\n' "$role"
		printf 'x509.truststore=%s\nx509.certificate=%s\nx509.private_key=%s\n' \
			"$TLS_DIR/ca.pem" "$TLS_DIR/$1.pem" "$TLS_DIR/$1.key"
	done
}

# tls_agent SIDE: runs the agent of SIDE until the agent ends. Call this function in a subshell,
# because it first closes all files except stdin, stdout and stderr. Otherwise, the agent would
# inherit the files of the exerciser's sessions, and a session ends only when all copies of its file
# are closed.
tls_agent()
{
	local fd
	for fd in /proc/self/fd/*; do
		fd=${fd##*/}
		[ "$fd" -le 2 ] || eval "exec $fd>&-"
	done
	on_"$1" tlshd -s -c "$TLS_DIR/$1.conf"
}

# tls_listens: succeeds if a program on this side has joined a multicast group of generic netlink.
# tlshd does so to receive the kernel's requests for handshakes.
tls_listens() { awk '$2 == 16 && $4 !~ /^0+$/ { found = 1 } END { exit !found }' /proc/net/netlink; }

# tls_down: ends all agents
tls_down()
{
	pkill -x tlshd
	expect "no agent" wait_for 10 tls_gone
}
tls_gone() { ! pgrep -x tlshd; }

# tls_up: makes a CA and certificates for both sides, and starts the agents of both sides. In the
# topology "one", both agents are in one namespace and either may perform a handshake, so each
# certificate contains both addresses.
tls_up()
{
	local side
	expect "a CA" tls_authority
	expect "a certificate of a" tls_certificate a "$IP_A" "$IP_B"
	expect "a certificate of b" tls_certificate b "$IP_A" "$IP_B"
	for side in a b; do tls_config $side >"$TLS_DIR/$side.conf"; done
	tls_start
}

# tls_start: starts the agents of both sides with their configurations
tls_start()
{
	local side
	for side in a b; do
		tls_agent $side >>"$OUT/tlshd-$side.log" 2>&1 &
	done
	expect "the agent of a" wait_for 20 on_a tls_listens
	expect "the agent of b" wait_for 20 on_b tls_listens
}

# tls_aes128: makes the agents that start later prefer AES-128-GCM, the cipher of esp_up and
# macsec_up. By default, GnuTLS prefers AES-256-GCM.
tls_aes128()
{
	export GNUTLS_SYSTEM_PRIORITY_FILE=/tmp/gnutls.conf
	printf '[overrides]\ndefault-priority-string = %s\n' \
		NORMAL:-CIPHER-ALL:+AES-128-GCM:+CHACHA20-POLY1305 >"$GNUTLS_SYSTEM_PRIORITY_FILE"
}

# tls_sockets PORT: prints two numbers, for example "4 4". The first is the number of established
# TCP sockets with the local or remote port PORT that encrypt and decrypt by AES-128-GCM. The second
# is the number of all established TCP sockets with this port.
tls_sockets()
{
	ss -HtniO state established "( sport = :$1 or dport = :$1 )" |
		awk '/ cipher: aes-gcm-128 rxconf: sw txconf: sw( |$)/ { tls++ }
			END { print tls + 0, NR }'
}
