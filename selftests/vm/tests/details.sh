# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The stock tool shows what a QP's connection agreed on: rdma -dd resource show qp.
# topology: netns one
# kernels: all
# rnic: soft pci
# timeout: 90
# shellcheck shell=bash

# detail SIDE NAME: of the only QP of side's device that has a connection
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
shows a "stream rts" "mpa_revision 2" "crc on" "markers_tx on" "markers_rx off" "rtr write" \
	"ord 2" "ord_used 0" "ird_used 0" "peer_rtr write"
shows b "stream rts" "mpa_revision 2" "crc on" "markers_tx off" "markers_rx on" \
	"ird_used 0" "peer_ord 2" "peer_ird 3" "peer_rtr write+read"
xt_part

say "revision 1 has no word of the peer's depths"
expect "revision 1" configure_a mpa-revision=1 peer-to-peer=off crc=off
expect "no CRC" configure_b crc=off markers=off
xt_join
shows a "mpa_revision 1" "crc off" "markers_tx off"
[[ $(details a) != *peer_ird* ]] || fail "depths of a peer that told none"
xt_part
xiw_clean
