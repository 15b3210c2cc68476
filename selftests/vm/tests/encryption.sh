# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# With the setting require-encryption and without TLS, a device refuses connections that neither ESP
# nor its interface encrypts. An initiator that refuses sends no MPA frame, and a responder that
# refuses rejects the Request. The device that refuses reports the reason. A device ends a
# connection that loses its encryption. xiw conn shows the layers that encrypt.
# topology: netns
# kernels: all
# rnic: soft
# timeout: 400
# shellcheck shell=bash

xt_up
xt_pair

# last_why SIDE: prints kind and text of the last error of SIDE, as a JSON string
last_why() { told "$1" '.notices[-1] | .kind + ": " + .text' term "$(rd_of "$1")"; }
why_is() { [[ $(last_why "$1") == "\"$2: "*encrypt* ]]; }
# told_why SIDE KIND: waits until the last error of SIDE has this KIND and a text about encryption
told_why() { wait_for 10 why_is "$@" || fail "the last error of $1: $(last_why "$1")"; }

# works LAYERS: makes a connection, checks that xiw conn shows LAYERS at both ends, and runs all
# operations
works()
{
	say "encrypted by $1"
	xt_join
	layers a "$1"
	layers b "$1"
	xt_every_op 100000
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=10 verify=1
}

# requires SIDE on|off: sets require-encryption of SIDE
requires() { expect "require-encryption=$2" on_"$1" xiw config set "$(rd_of "$1")" require-encryption="$2"; }

# initiator_refuses NAME: checks that side a refuses to connect, and sends no octet above TCP.
# NAME.pcap is the capture
initiator_refuses()
{
	capture "$1.pcap" tcp
	xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"
	captured
	told_why a connect-error
	capture_flag "$1.pcap" push
	equal "segments with octets" 0 ${#FRAMES[@]}
}

# responder_refuses: checks that side b rejects a Request. For this Request, side a does not require
# encryption
responder_refuses()
{
	requires a off
	xt_err ECONNREFUSED a connect "addr=$IP_B" "port=$XT_PORT"
	told_why b reject
	requires a on
}

# loses SIDE CMD...: runs CMD on SIDE to remove the encryption; checks that SIDE then ends the
# connection
loses()
{
	local ep=$EP_A
	[ "$1" = a ] || ep=$EP_B
	say "$*"
	expect "loss of encryption" on_"$1" "${@:2}"
	xt "$1" wait "ep=$ep" state=disconnected
	told_why "$1" abort
	xt "$1" close "ep=$ep"
}

say "nothing encrypts"
xt_listen
works none
xt_part
requires a on
requires b on
initiator_refuses plain
responder_refuses

say "ESP"
esp_both "$IP_A" "$IP_B"
works esp

# IKE may delete keys before it has new keys. A stream without keys then waits for the new keys. The
# driver checks the encryption of each stream once per second, but does not end this stream.
# [R-SEC-024]
say "keys that are deleted, and new keys"
for side in a b; do expect "no keys of $side" on_$side ip xfrm state flush; done
xt_start a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=4 count=40 verify=1 timeout=120000
nap 4 # the driver checks once per second; nothing reports a check, so the test cannot wait for one
xt b wait "ep=$EP_B" state=ready timeout=0
for side in a b; do
	expect "new keys of $side" on_$side esp_state "$IP_A" "$IP_B" 0x2001
	expect "new keys of $side" on_$side esp_state "$IP_B" "$IP_A" 0x2002
done
xt_ends a '^status=ok'
layers a esp

# Without its ESP policy, side a sends an unprotected reset. Side b still requires ESP and drops
# this reset.
loses a esp_down
loses b esp_down
esp_both "$IP_A" "$IP_B"

say "an end that sends ESP, and accepts anything"
on_a ip xfrm policy delete src "$IP_B" dst "$IP_A" proto tcp dir in
xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"
told_why a connect-error

say "ESP that is optional, or does not encrypt"
esp_both_down
for side in a b; do
	own=$IP_A other=$IP_B
	[ $side = a ] || own=$IP_B other=$IP_A
	expect "keys of $side" on_$side esp_state "$IP_A" "$IP_B" 0x1001
	expect "keys of $side" on_$side esp_state "$IP_B" "$IP_A" 0x1002
	expect "out of $side" on_$side esp_policy $own $other out use
	expect "into $side" on_$side esp_policy $other $own in use
done
xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"
responder_refuses
esp_both_down
esp_both "$IP_A" "$IP_B" null
xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"
responder_refuses
esp_both_down
xt b close ep=all

# devices UPPER_A UPPER_B [NET]: replaces the xiw devices by devices on these interfaces. Gives the
# interfaces the addresses 10.NET.0.1 and 10.NET.0.2 (NET is 20 by default), and sets IP_B and IP6_B
devices()
{
	local side upper net=${3-20}
	for side in a b; do
		upper=$1
		[ $side = a ] || upper=$2
		expect "no device of $side" on_$side rdma link del "$(rd_of $side)"
		expect "addresses of $side" on_$side side_up "$upper" \
			"10.$net.0.$([ $side = a ] && echo 1 || echo 2)" \
			"fd00:$net::$([ $side = a ] && echo 1 || echo 2)"
		expect "device of $side" on_$side rdma_link xiw "$(rd_of $side)" "$upper"
		requires $side on
	done
	wait_for 20 on_a ping -c 1 -W 1 10.$net.0.2 || fail "no way from $1 to $2"
	IP_B=10.$net.0.2 IP6_B=fd00:$net::2
}
# again LAYERS: makes side b listen on its new device, and calls works() with LAYERS
again()
{
	xt_listen
	works "$1"
}

say "WireGuard"
expect "end a" on_a wireguard_up wga a 51820 "$IP_B" 51821
expect "end b" on_b wireguard_up wgb b 51821 "$IP_A" 51820
devices wga wgb
again wireguard
xt_part

say "ESP over it, which goes away: the connection keeps to the interface"
# bound SIDE DEV: succeeds if a connection of SIDE is bound to the interface DEV
bound() { on_"$1" ss -tnH state established | grep -q "%$2:"; }
esp_both 10.20.0.1 10.20.0.2
works esp+wireguard
! bound a wga || fail "bound: $(on_a ss -tn)"
esp_both_down
wait_for 10 bound a wga || fail "not bound: $(on_a ss -tn)"
wait_for 10 bound b wgb || fail "not bound: $(on_b ss -tn)"
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=10 verify=1
xt_part
xt b close ep=all

say "VXLAN, whose outer packets WireGuard encrypts only as long as they leave by it"
expect "VXLAN of a" on_a ip link add vxa type vxlan id 7 dstport 4789 \
	local 10.20.0.1 remote 10.20.0.2 dev wga
expect "VXLAN of b" on_b ip link add vxb type vxlan id 7 dstport 4789 \
	local 10.20.0.2 remote 10.20.0.1 dev wgb
devices vxa vxb 21
xt_listen
DEV_A=vxa initiator_refuses vxlan
responder_refuses
xt b close ep=all
WIRE_A=$DEV_A WIRE_B=$DEV_B

say "MACsec that does not encrypt"
mac_a=$(on_a mac_of "$WIRE_A") mac_b=$(on_b mac_of "$WIRE_B")
on_a ip addr flush dev wga
on_b ip addr flush dev wgb
expect "end a" on_a macsec_up msa a "$WIRE_A" "$mac_b"
expect "end b" on_b macsec_up msb b "$WIRE_B" "$mac_a"
devices msa msb
xt_listen
DEV_A=msa initiator_refuses macsec
responder_refuses

say "MACsec that encrypts"
on_a ip link set msa type macsec encrypt on
on_b ip link set msb type macsec encrypt on
works macsec
loses a ip link set msa type macsec encrypt off
xt b wait "ep=$EP_B" state=disconnected
on_a ip link set msa type macsec encrypt on
xt b close ep=all

say "a VLAN on it"
on_a ip addr flush dev msa
on_b ip addr flush dev msb
expect "VLAN of a" on_a ip link add link msa name vla type vlan id 7
expect "VLAN of b" on_b ip link add link msb name vlb type vlan id 7
devices vla vlb
again macsec

say "what is missing, in words"
# xiw doctor runs in the network namespace of side a, but /sys belongs to the initial namespace and
# does not show the interface. So the text after "by" does not name the interface.
[[ $(verdict encryption) == "pass: $RD_A requires encryption, by "* ]] || fail "doctor: $(verdict encryption)"
xt_part
requires a on
xt b close ep=all
on_a ip link set msa type macsec encrypt off
xt_listen
xt_err ENOKEY a connect "addr=$IP_B" "port=$XT_PORT"
[[ $(verdict encryption) == "warn: "*"$IP_B:$XT_PORT" ]] || fail "doctor: $(verdict encryption)"
requires a off
equal "doctor" "pass: no device requires encryption or uses TLS" "$(verdict encryption)"
xt b close ep=all
xiw_clean
