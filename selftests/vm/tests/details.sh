# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# `rdma -dd resource show qp` shows the negotiated values of a QP's connection. `xiw dump` shows the
# indexes of the QP's rings.
# topology: netns one
# kernels: all
# rnic: soft pci
# timeout: 90
# shellcheck shell=bash

# details SIDE: prints the details of the only QP with a connection on the device of SIDE
details() { on_"$1" rdma -dd resource show qp link "$(rd_of "$1")/1" | grep -A 8 RC; }
# shows SIDE PAIR...: checks that the details of SIDE contain each PAIR, which is a name, a blank and
# a value in one argument
shows()
{
	local side=$1 text words
	text=" $(details "$side" | tr -s ' \t\n' ' ') "
	for words in "${@:2}"; do
		[[ $text == *" $words "* ]] || fail "$side: no '$words' in $text"
	done
	say "$side: $text"
}

xt_up
xt_pair
expect "something to see" configure_b markers=on
xt_listen
xt_join ird=3 ord=2
shows a "drv_stream rts" "drv_mpa_revision 2" "drv_crc on" "drv_markers_tx on" \
	"drv_markers_rx off" "drv_rtr write" "drv_ord 2" "drv_ord_used 0" "drv_ird_used 0" \
	"drv_peer_rtr write+read"
shows b "drv_stream rts" "drv_mpa_revision 2" "drv_crc on" "drv_markers_tx off" \
	"drv_markers_rx on" "drv_ird_used 0" "drv_peer_ord 2" "drv_peer_ird 3" \
	"drv_peer_rtr write+read"

# ring SIDE RING FIELD: prints FIELD of RING, from xiw dump, for the QP with a connection
ring()
{
	told "$1" ".rings[] | select((.stream // 0) % 2 == 1) | .rings[] |
		select(.ring == \"$2\") | .$3" dump "$(rd_of "$1")"
}
say "rings"
WAS=$(ring b receive-queue in_use)
xt b recv "ep=$EP_B" buf=m off=2M len=100
xt b recv "ep=$EP_B" buf=m off=2M len=100
equal "receives that wait" $((WAS + 2)) "$(ring b receive-queue in_use)"
equal "free ORD" '[2,0]' "[$(ring a ord size),$(ring a ord in_use)]"
DONE=$(ring a send-queue "done")
xt_wc SUCCESS a wr op=send buf=m len=100
xt_wc SUCCESS b wc "ep=$EP_B"
equal "one is through" $((DONE + 1)) "$(ring a send-queue "done")"
equal "and none waits" '[0,0]' \
	"[$(ring a send-queue in_use),$(ring a requests not_taken)]"
equal "a receive is used" $((WAS + 1)) "$(ring b receive-queue in_use)"
equal "the device's own" '["admin","events"]' \
	"$(told a '.rings[0].rings | map(.ring) | unique' dump "$(rd_of a)")"
if [ "$RNIC" = pci ]; then
	told_is a 1 '.rings[0].registers.status % 256 / 3' dump "$(rd_of a)"
else
	told_is a '{}' '.rings[0].registers' dump "$(rd_of a)"
fi
refuse "not for everybody" on_a setpriv --reuid 65534 --regid 65534 --clear-groups \
	--no-new-privs xiw dump
on_a xiw dump
xt_part

say "frames of revision 1 do not contain the IRD and ORD of the peer"
expect "revision 1" configure_a mpa-revision=1 peer-to-peer=off crc=off
expect "no CRC" configure_b crc=off markers=off
xt_join
shows a "drv_mpa_revision 1" "drv_crc off" "drv_markers_tx off"
[[ $(details a) != *peer_ird* ]] || fail "the IRD of a peer that has not sent it"
xt_part
xt b close ep=all
xiw_clean
