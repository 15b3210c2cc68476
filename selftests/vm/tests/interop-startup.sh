# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Tests MPA negotiation between xiw and siw, each as initiator and as responder. The test covers
# revision 2 (with Write or Read as RTR, and without RTR), revision 1, IRD and ORD, private data,
# and data with and without CRC. siw does not support markers: they stay off, and siw refuses a
# request for markers. [M-CRC-002] [M-CRC-004] [M-CRC-005] [M-CRC-006] [M-CONN-008] [E-FRAME-005]
# [E-P2P-001] [E-P2P-002] [E-P2P-008] [E-INTER-004] [M-DDP-008]
# topology: one netns
# kernels: all
# rnic: soft
# timeout: 240
# not-debug: lockdep reports siw's own locks, and then it stops checking
# shellcheck shell=bash

FRAME='[.revision, .crc, .markers, .enhanced, .peer_to_peer, .rtr_write, .rtr_read]'

# carried: runs a Write, a Read and a Send in each direction, and compares the data
carried()
{
	local from to side
	for side in a b; do
		from=$side to=$([ $side = a ] && echo b || echo a)
		local -n ep_from=EP_${from^^} ep_to=EP_${to^^}
		xt $from fill buf=m len=20000 "seed=$SEED"
		xt_wc SUCCESS $from wr "ep=$ep_from" op=write buf=m len=20000
		xt_wc SUCCESS $from wr "ep=$ep_from" op=read buf=m off=4M len=20000
		xt $to check buf=m len=20000 "seed=$SEED" pos=0
		xt $from check buf=m off=4M len=20000 "seed=$SEED" pos=0
		xt $to recv "ep=$ep_to" buf=m off=2M len=20000
		xt_wc SUCCESS $from wr "ep=$ep_from" op=send buf=m len=20000
		xt_wc SUCCESS $to wc "ep=$ep_to"
		xt $to check buf=m off=2M len=20000 "seed=$SEED" pos=0
		SEED=$((SEED + 1))
	done
}
SEED=1

# agreed REVISION CRC RTR [FILTER WANTED]...: checks that xiw reports these three values and no
# markers for its connection. FILTER: a further jq expression, whose result must be WANTED
agreed()
{
	xiw_is '[.mpa_revision, .crc, .rtr, .markers_tx, .markers_rx]' "[$1,$2,$3,false,false]" "${@:4}"
}

# refused ERRNO NAME [ACCEPTED]: checks that the connect of side a fails with ERRNO in time and
# leaves no object. NAME: text for messages. ACCEPTED: any word, if side b accepts the connection
# before side a refuses it
refused()
{
	say "refused: $2"
	xt_listen hello=0
	xt_try a connect "addr=$IP_B" "port=$XT_PORT" hello=0 timeout=20000 &&
		fail "$2: connected: ${XT[0]}"
	say "${XT[0]}"
	equal "$2" "$1" "${XT[errno]}"
	xt a stat
	xt_is eps 0
	[ -z "${3-}" ] || xt b wait ep=all state=disconnected
	xt b close ep=all
	xt_clean b
}

# private: checks that both ULPs get the private data of Request and Reply, and that a Send arrives
private()
{
	xt_meet_held
	xt b recv "ep=$EP_B"
	xt_wc SUCCESS a wr op=send
	xt_wc SUCCESS b wc "ep=$EP_B"
}

ends xiw siw

say "revision 2, xiw connects"
private
# xiw offers the RTR forms Write and Read, and siw chooses Write.
agreed 2 true '"write"' '[.ird, .ord]' '[2,4]' \
	".frame_sent | $FRAME" '[2,true,false,true,true,true,true]' \
	'.frame_sent | [.ird, .ord]' '[2,4]' \
	".frame_received | $FRAME" '[2,true,false,true,true,true,false]' \
	'.frame_received | [.ird, .ord]' '[5,2]'
parted

for form in '"read"' null; do
	case $form in
	null) xiw_set peer-to-peer=off ;;
	*) xiw_set rtr=read ;;
	esac
	say "RTR $form"
	meet
	agreed 2 true "$form"
	carried
	parted
done
xiw_set peer-to-peer=on rtr=write+read
# Do not test the setting rtr=send. siw does not support this form and offers a Write instead, so
# RFC 6581 section 9.2 requires a Terminate. siw reports this Terminate as a close, although it has
# not yet reported the connection as established. This report triggers a BUG() of iw_cm.

say "CRC off"
xiw_set crc=off
meet
agreed 2 false '"write"'
carried
parted

say "revision 1, xiw connects, CRC off and on"
xiw_set mpa-revision=1 peer-to-peer=off
meet
agreed 1 false null \
	".frame_sent | $FRAME" '[1,false,false,false,false,false,false]' \
	'.frame_received | [.revision, .enhanced]' '[1,false]'
carried
parted
xiw_set crc=on
meet
agreed 1 true null
carried
parted
xiw_set mpa-revision=2 peer-to-peer=on markers=on
refused ECONNREFUSED "markers asked for by the Request"
xiw_set markers=off

ends siw xiw

say "revision 2, siw connects"
private
# xiw requests CRC and siw does not. The request of one end suffices, so both ends use CRC.
agreed 2 true null \
	".frame_received | $FRAME" '[2,false,false,true,false,false,false]' \
	'.frame_received | [.ird, .ord]' '[2,4]' \
	".frame_sent | $FRAME" '[2,true,false,true,false,false,false]'
parted
say "CRC on, and off"
meet
agreed 2 true null
carried
parted
xiw_set crc=off
meet
agreed 2 false null ".frame_sent | $FRAME" '[2,false,false,true,false,false,false]'
carried
parted
xiw_set crc=on markers=on
refused ECONNREFUSED "markers asked for by the Reply" accepted
xiw_set markers=off mpa-revision=1 peer-to-peer=off
refused ECONNRESET "revision 2 where 1 is the highest"

ends siw_mpa1 xiw

say "revision 1, siw connects"
for crc in on off; do
	xiw_set crc=$crc
	meet
	agreed 1 "$([ $crc = on ] && echo true || echo false)" null \
		".frame_received | $FRAME" '[1,false,false,false,false,false,false]' \
		'.frame_sent | [.revision, .enhanced]' '[1,false]'
	carried
	parted
done
ends_down
