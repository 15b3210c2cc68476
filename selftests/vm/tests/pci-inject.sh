# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Only the software RNIC implements error injection (xiw inject). A device with a PCIe RNIC refuses
# each kind of injection, and traffic is not affected. The device also refuses the settings
# require-encryption, congestion and tls.
# topology: one
# kernels: stable
# rnic: pci
# variants: inject
# timeout: 60
# shellcheck shell=bash

expect "the one that is shipped goes" topology_down
expect "the variant" load xiw inject
expect "the sides" topology_up
xt_up
xt_pair
xt_listen
xt_join
QP=$(told a '.connections[] | select(.role == "initiator").qpn' conn "$RD_A")
for kind in drop duplicate crc reset "delay time=10ms" "stall time=10ms" refuse-atomic; do
	for whose in "" "-q $QP"; do
		# shellcheck disable=SC2086
		text=$(on_a xiw inject set "$RD_A" $kind $whose 2>&1) && fail "$kind is armed"
		say "+ xiw inject set $RD_A $kind $whose: $text"
		[[ $text == *"does not support this kind of injection"* ]] || fail "not told why"
	done
done
# The driver refuses require-encryption, because the host does not see which layers encrypt the
# function's connections.
text=$(on_a xiw config set "$RD_A" require-encryption=on 2>&1) && fail "encryption is required"
[[ $text == *"cannot see what encrypts"* ]] || fail "not told why: $text"
# The driver refuses settings of TCP and TLS, because the function uses its own TCP, and not that of
# the host.
text=$(on_a xiw config set "$RD_A" congestion=reno 2>&1) && fail "the congestion control is set"
[[ $text == *"chooses its congestion control itself"* ]] || fail "not told why: $text"
text=$(on_a xiw config set "$RD_A" tls=require 2>&1) && fail "TLS is required"
[[ $text == *TLS* ]] || fail "not told why: $text"
expect "nothing to clear" on_a xiw inject clear "$RD_A"
told_is a '[]' '.injections[0].armed' inject show "$RD_A"
for op in send write read fetchadd; do
	[ $op != send ] || xt b recv "ep=$EP_B" buf=m len=4096
	len=4096
	[ $op != fetchadd ] || len=8
	xt_wc SUCCESS a wr "ep=$EP_A" op=$op buf=m len=$len
done
