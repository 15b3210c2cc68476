# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The owner of memory may write to the source of a Read at any time, and to the source of a Write or
# Send at its own risk. If this happens during the operation, the data is undefined, but each FPDU
# has the CRC of its contents, and the stream continues.
# topology: one
# kernels: all
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair
xt_listen

# scribbled SIDE OFF SESSION COMMAND...: checks that COMMAND of SESSION succeeds while SIDE
# overwrites the 512 KiB at OFF of its buffer
scribbled()
{
	local side=$1 off=$2
	shift 2
	xt "$side" scribble buf=m "off=$off" len=512K do=start
	xt "$@"
	xt "$side" scribble buf=m do=stop
	[ "${XT[count]}" -gt 1 ] || fail "the scribbler did not get its turn"
}

# rounds MS: runs Writes, Reads and Sends of three lengths, each for MS milliseconds, while their
# sources change. Then checks that data arrives intact if its source does not change
rounds()
{
	local len
	for len in 65536 1448 300; do
		scribbled a 4M a run "ep=$EP_A" op=write buf=m off=4M "len=$len" qd=8 "ms=$1"
		scribbled b 0 a run "ep=$EP_A" op=read buf=m off=4M "len=$len" qd=8 "ms=$1"
		scribbled a 4M a run "ep=$EP_A" op=send buf=m off=4M "len=$len" qd=8 "ms=$1"
	done
	# Check that the stream is intact: data whose source does not change arrives intact.
	xt b fill buf=m len=1M seed=3
	xt a run "ep=$EP_A" op=read buf=m off=4M len=20000 qd=8 count=20 verify=1 seed=3
	xt a run "ep=$EP_A" op=write buf=m off=4M len=20000 qd=8 count=20 verify=1
}

for markers in off on; do
	say "markers $markers"
	configure "markers=$markers"
	xt_join
	xt b sink "ep=$EP_B" n=32 len=64K off=2M
	rounds "${XIW_TEST_MS:-400}"
	for side in a b; do
		xt $side query
		xt_is qp_state RTS
		xt_is qp_events ''
		equal "CRC errors of $side" 0 "$(counter $side rx_crc_errors)"
	done
	xt_part
done
xt b close ep=all
xiw_clean
