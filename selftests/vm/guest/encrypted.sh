# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Encryption below MPA: ESP in transport mode, WireGuard and MACsec. tls.sh contains the functions
# for TLS. All keys are fixed. Most functions configure the side on which they run (on_a, on_b). If
# a function configures both sides, its comment says so.
# shellcheck shell=bash

# layers SIDE WANTED: checks that xiw conn shows the encryption WANTED for the connection of SIDE
layers()
{
	told_is "$1" "\"$2\"" '.connections[] | select(.role != "listener") | .encryption' \
		conn "$(rd_of "$1")"
}

# octets_key TEXT: prints keying material for rfc4106 or HMAC in hexadecimal: 20 octets that depend
# on TEXT. For rfc4106, they are a key of 16 octets and a salt of 4 octets.
octets_key()
{
	printf '0x'
	printf '%s' "$1 of 20 octets of key" | od -An -tx1 -v -N 20 | tr -d ' \n'
}

# esp_state FROM TO SPI [cipher|null]: adds the security association (SA) for packets from the
# address FROM to the address TO. With "cipher" (the default), the SA encrypts the packets. With
# "null", it only authenticates them.
esp_state()
{
	local words key
	key=$(octets_key "$3")
	if [ "${4-cipher}" = null ]; then
		words=(auth 'hmac(sha256)' "$key" enc 'ecb(cipher_null)' '')
	else
		words=(aead 'rfc4106(gcm(aes))' "$key" 128)
	fi
	ip xfrm state add src "$1" dst "$2" proto esp spi "$3" reqid 1 mode transport "${words[@]}"
}

# esp_policy FROM TO in|out [LEVEL]: adds a policy of ESP for TCP packets from FROM to TO. "in" is
# for packets that arrive at this side, and "out" for packets that leave it. LEVEL is "required"
# (the default) or "use". With "use", ESP is optional.
esp_policy()
{
	ip xfrm policy add src "$1" dst "$2" proto tcp dir "$3" \
		tmpl proto esp reqid 1 mode transport level "${4-required}"
}

# esp_up OWN OTHER FROM_A [cipher|null]: protects TCP between this side's address OWN and the
# address OTHER. FROM_A is the address of side a, which sends with the first SPI.
esp_up()
{
	local to=$2
	[ "$1" = "$3" ] || to=$1
	esp_state "$3" "$to" 0x1001 "${4-cipher}" && esp_state "$to" "$3" 0x1002 "${4-cipher}" &&
		esp_policy "$1" "$2" out && esp_policy "$2" "$1" in
}

esp_down() { ip xfrm policy flush && ip xfrm state flush; }

# esp_both ADDRESS-A ADDRESS-B [cipher|null]: configures both sides to protect TCP between these
# addresses
esp_both()
{
	expect "protection of a" on_a esp_up "$1" "$2" "$1" "${3-cipher}"
	expect "protection of b" on_b esp_up "$2" "$1" "$1" "${3-cipher}"
}
esp_both_down() { on_a esp_down && on_b esp_down; }

# The private and the public keys of both sides for WireGuard (X25519)
WG_PRIVATE_A=c88f04e58825e925d60dbe837e84e48d390ad83d42b8d7b6301b12feb0f60053
WG_PUBLIC_A=742775af7a1895fe55f2a707dd544df1c72696526e978f30bd690d286c635769
WG_PRIVATE_B=f05a2eb87e7feaf4e2111d30b97238a0b484c704563d23eb4f907fe512825e70
WG_PUBLIC_B=fcf1b58ec7a37cedeba5a0ad387c9850df3b6e94038d8357cffbcbbbbd87df55

# hex_u16 NUMBER: prints NUMBER as two hexadecimal octets in the byte order of this machine
hex_u16()
{
	case $HOSTTYPE in
	s390x) printf '%04x' "$1" ;;
	*) printf '%02x%02x' $(($1 & 255)) $(($1 >> 8)) ;;
	esac
}

# hex_ip4 ADDRESS: prints an IPv4 address as four hexadecimal octets in network order
hex_ip4()
{
	local IFS=.
	# shellcheck disable=SC2086
	printf '%02x%02x%02x%02x' $1
}

# nl_attr TYPE HEX: prints a netlink attribute with the contents HEX, all in hexadecimal
nl_attr()
{
	local length=$((${#2} / 2)) pad
	pad=$(((-length % 4 + 4) % 4 * 2))
	printf '%s%s%s' "$(hex_u16 $((4 + length)))" "$(hex_u16 "$1")" "$2"
	printf '%.*s' "$pad" 000000
}

# wireguard_up DEV a|b PORT ENDPOINT PEER-PORT: creates the interface DEV of side a or b, which
# receives at the UDP port PORT. The other side is at the IPv4 address ENDPOINT and the port
# PEER-PORT, and may use any address inside the tunnel. The function configures the interface by
# netlink, because the image has no wg(8).
wireguard_up()
{
	local private=$WG_PRIVATE_A public=$WG_PUBLIC_B nested=0x8000 peer any4 any6
	[ "$2" = a ] || private=$WG_PRIVATE_B public=$WG_PUBLIC_A
	any4=$(nl_attr 1 "$(hex_u16 2)")$(nl_attr 2 00000000)$(nl_attr 3 00)
	any6=$(nl_attr 1 "$(hex_u16 10)")$(nl_attr 2 "$(printf '%032d' 0)")$(nl_attr 3 00)
	peer=$(nl_attr 1 "$public")
	peer+=$(nl_attr 4 "$(hex_u16 2)$(printf '%04x' "$5")$(hex_ip4 "$4")0000000000000000")
	peer+=$(nl_attr $((nested | 9)) \
		"$(nl_attr $((nested | 0)) "$any4")$(nl_attr $((nested | 0)) "$any6")")
	ip link add "$1" type wireguard || return
	# Attributes: name of the interface, private key, port, peers
	[ "$(/run/guest/genl wireguard ask 1 "2=hex:$(printf '%s' "$1" | od -An -tx1 | tr -d ' \n')00" \
		"3=hex:$private" "6=u16:$3" "$((nested | 8))=hex:$(nl_attr $nested "$peer")")" \
		= messages=0 ]
}

MACSEC_KEY_A=0123456789abcdef0123456789abcdef
MACSEC_KEY_B=fedcba9876543210fedcba9876543210

# macsec_up DEV a|b LOWER MAC [OPTION...]: creates the interface DEV of side a or b over the
# interface LOWER. MAC is the MAC address of the peer. OPTIONs are those of ip link add.
macsec_up()
{
	local own=$MACSEC_KEY_A other=$MACSEC_KEY_B
	[ "$2" = a ] || own=$MACSEC_KEY_B other=$MACSEC_KEY_A
	ip link add link "$3" "$1" type macsec "${@:5}" &&
		ip macsec add "$1" tx sa 0 pn 1 on key 01 "$own" &&
		ip macsec add "$1" rx port 1 address "$4" &&
		ip macsec add "$1" rx port 1 address "$4" sa 0 pn 1 on key 02 "$other"
}

# link_value DEV KEY: prints the value KEY of the interface DEV, as ip -j link shows it. sysfs would
# show only the interfaces of the first namespace.
link_value() { ip -d -j link show "$1" | jq -r ".[0].$2"; }
mac_of() { link_value "$1" address; }

# upper A B: moves the address of side a to the interface A, and the address of side b to the
# interface B. Only for the topology "one".
upper()
{
	local dev
	for dev in "$DEV_A" "$DEV_B"; do
		ip addr flush dev "$dev"
		ip -6 addr flush dev "$dev" scope global
	done
	DEV_A=$1 DEV_B=$2
	for dev in "$1" "$2"; do
		sysctl -qw net.ipv4.conf."$dev".rp_filter=0 net.ipv4.conf."$dev".accept_local=1 \
			net.ipv4.conf."$dev".arp_ignore=1
	done
	side_up "$1" "$IP_A" "$IP6_A"
	side_up "$2" "$IP_B" "$IP6_B"
	expect "routes over $1 and $2" one_wires
}
reaches() { wait_for 20 ping -c 1 -W 1 -I "$IP_A" "$IP_B" || fail "no answer over $DEV_A"; }

OUTER_A=10.9.0.1 OUTER_B=10.9.0.2

# outer add|del: adds or deletes addresses and rules of both sides for the packets of WireGuard
# itself, which do not pass through the tunnel
outer()
{
	ip addr "$1" $OUTER_A/24 dev "$WIRE_A" && ip addr "$1" $OUTER_B/24 dev "$WIRE_B" &&
		ip rule "$1" pref 9 iif lo to $OUTER_B lookup 101 &&
		ip rule "$1" pref 12 iif lo to $OUTER_A lookup 102
}

# outer_routes: adds the routes of both sides for the rules that outer() adds. The kernel deletes
# these routes when the addresses are deleted.
outer_routes()
{
	ip route replace $OUTER_B dev "$WIRE_A" src $OUTER_A table 101 &&
		ip route replace $OUTER_A dev "$WIRE_B" src $OUTER_B table 102
}

# layer_up LAYER: makes LAYER encrypt the traffic between both sides in the topology "one". LAYER is
# none, tls, esp, macsec or wireguard. Sets DEV_A and DEV_B to the interfaces for RDMA devices, and
# WIRE_A and WIRE_B to the interfaces of the wire. For TLS, also call layer_set when the RDMA
# devices exist.
layer_up()
{
	local mac_a mac_b
	WIRE_A=$DEV_A WIRE_B=$DEV_B
	case $1 in
	none) ;;
	tls) tls_up ;;
	esp)
		expect "policies of a" esp_up "$IP_A" "$IP_B" "$IP_A"
		expect "out of b" esp_policy "$IP_B" "$IP_A" out
		expect "into b" esp_policy "$IP_A" "$IP_B" in ;;
	macsec)
		mac_a=$(mac_of "$WIRE_A") mac_b=$(mac_of "$WIRE_B")
		expect "MACsec of a" macsec_up msa a "$WIRE_A" "$mac_b" encrypt on
		expect "MACsec of b" macsec_up msb b "$WIRE_B" "$mac_a" encrypt on
		upper msa msb ;;
	wireguard)
		expect "WireGuard of a" wireguard_up wga a 51820 $OUTER_B 51821
		expect "WireGuard of b" wireguard_up wgb b 51821 $OUTER_A 51820
		upper wga wgb
		expect "addresses of WireGuard" outer add
		expect "routes of WireGuard" outer_routes ;;
	esac
	reaches
}

# layer_set LAYER: configures the RDMA devices of both sides for LAYER
layer_set()
{
	[ "$1" = tls ] || return 0
	expect "TLS of a" on_a xiw config set "$RD_A" tls=require
	expect "TLS of b" on_b xiw config set "$RD_B" tls=require
}

# layer_down LAYER: undoes layer_up on both sides. Call it when no RDMA device is left.
layer_down()
{
	local dev
	case $1 in
	none) ;;
	tls) tls_down ;;
	esp) expect "no policies" esp_down ;;
	macsec | wireguard)
		upper "$WIRE_A" "$WIRE_B"
		[ "$1" = macsec ] || expect "no addresses of WireGuard" outer del
		for dev in msa msb wga wgb; do
			[ ! -e "/sys/class/net/$dev" ] || ip link del "$dev"
		done ;;
	esac
}
