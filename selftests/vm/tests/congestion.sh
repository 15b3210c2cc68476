# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The setting `congestion` chooses the congestion control of TCP for new connections of a device, as
# initiator and as responder. A command with an unknown name changes no setting.
# topology: netns one
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

# uses SIDE ROLE NAME: checks that the connection in which SIDE has ROLE (initiator or responder)
# uses the congestion control NAME
uses()
{
	told_is "$1" "\"$3\"" ".connections[] | select(.role == \"$2\") | .tcp.congestion" \
		conn "$(rd_of "$1")"
}

# setting WANTED: checks that the setting `congestion` of side a is WANTED
setting() { told_is a "\"$1\"" '.config[0].settings.congestion' config show "$RD_A"; }

# again: ends the connection, and makes a new one
again()
{
	xt a close "ep=$EP_A"
	xt b wait "ep=$EP_B" state=disconnected
	xt b close "ep=$EP_B"
	xt_join
}

OTHER=reno
DEFAULT=$(sysctl -n net.ipv4.tcp_congestion_control)
[ "$DEFAULT" != $OTHER ] || fail "the kernel's default is $OTHER"

xt_up
xt_pair
setting default
xt_listen
xt_join
uses a initiator "$DEFAULT"
uses b responder "$DEFAULT"

say "the initiator's choice"
configure_a congestion=$OTHER
setting $OTHER
uses a initiator "$DEFAULT"
again
uses a initiator $OTHER
uses b responder "$DEFAULT"
xt_wc SUCCESS a wr op=write buf=m len=1M

say "the responder's, of a listener that exists"
configure_a congestion=default
configure_b congestion=$OTHER
setting default
again
uses b responder $OTHER
uses a initiator "$DEFAULT"

say "no such name"
configure_a crc=on congestion=$OTHER
text=$(on_a xiw config set "$RD_A" crc=off congestion=nonesuch 2>&1) && fail "it is taken"
[[ $text == *"congestion: "*"no congestion control of this name"* ]] || fail "not told why: $text"
setting $OTHER
told_is a true '.config[0].settings.crc' config show "$RD_A"
for name in "" 0123456789abcdef "a b"; do
	refuse "a bad name" on_a xiw config set "$RD_A" "congestion=$name"
done
setting $OTHER

say "saved and restored"
on_a xiw config save >/tmp/saved.xiw
configure_a congestion=default
setting default
expect "restored" on_a xiw config restore /tmp/saved.xiw
setting $OTHER
xt_closed a b
xiw_clean
