# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The stock tool shows what a QP's connection agreed on: rdma -dd resource show qp.
# topology: netns one
# kernels: all
# rnic: soft pci
# timeout: 90
# shellcheck shell=bash

# details SIDE: of the only QP of side's device that has a connection
details() { on_"$1" rdma -dd resource show qp link "$(rd_of "$1")/1" | grep -A 8 RC; }
# shows SIDE WORDS...: each "name value" is there
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
xt_part

say "revision 1 has no word of the peer's depths"
expect "revision 1" configure_a mpa-revision=1 peer-to-peer=off crc=off
expect "no CRC" configure_b crc=off markers=off
xt_join
shows a "drv_mpa_revision 1" "drv_crc off" "drv_markers_tx off"
[[ $(details a) != *peer_ird* ]] || fail "depths of a peer that told none"
xt_part
xt b close ep=all
xiw_clean
