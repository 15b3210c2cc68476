# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Every operation moves exactly its data, at sizes around the limits. [R-GEN-011] [R-SND-002]
# [R-SND-011] [R-ORD-007] [D-XFER-004] [D-XFER-017] [D-LLP-006]
# topology: netns one pair
# kernels: all
# timeout: 240
# shellcheck shell=bash

SIZES=(0 1 7 4096 65536 1048576)
FAR=2M		# offset of receives in both buffers, outside the exported memory

xt_up
xt_pair
xt_listen
xt_join inline=64
# A Read has only one SGE. Bounce buffers are contiguous only up to 256 KiB, so one SGE with a bus
# address cannot cover a longer sink. Use an SGE of an MR as the sink, as ULPs do.
xt a reg "ep=$EP_A" name=sink buf=m off=6M len=1088K access=lw
seed=1

# untouched SIDE BASE SIZE: checks that the 64 octets after SIZE octets at BASE of the buffer still
# contain the byte 170, which prepare() has written
untouched() { xt "$1" check buf=m "off=$(($2 + $3))" len=64 byte=170; }

# prepare SIDE BASE SIZE: fills SIZE octets at BASE of the buffer, and the next 64 octets, with the
# byte 170
prepare() # SIDE BASE SIZE
{
	xt "$1" fill buf=m "off=$2" "len=$(($3 + 64))" byte=170
}

for size in "${SIZES[@]}"; do
	say "size $size"
	seed=$((seed + 1))
	xt a fill buf=m "len=$size" "seed=$seed"

	prepare b 0 "$size"
	xt_wc SUCCESS a wr op=write buf=m "len=$size"
	xt_is op RDMA_WRITE
	# siw refuses a Read of length zero, so omit the remaining checks of this size.
	[ "$(xt_type) $size" != "siw 0" ] || continue
	# The response to a Read shows that the Write before it has been placed.
	prepare a 6291456 "$size"
	xt_wc SUCCESS a wr op=read lmr=sink "len=$size"
	xt_is op RDMA_READ
	xt a check buf=m off=6M "len=$size" "seed=$seed" pos=0
	untouched a 6291456 "$size"
	xt b check buf=m "len=$size" "seed=$seed"
	untouched b 0 "$size"

	for op in send send_se; do
		prepare b 2097152 "$size"
		xt b recv "ep=$EP_B" buf=m off=$FAR "len=$size"
		case $op in
		send) xt_wc SUCCESS a wr op=send buf=m "len=$size" ;;
		*) xt_wc SUCCESS a wr op=send se=1 buf=m "len=$size" ;;
		esac
		xt_is op SEND
		xt_wc SUCCESS b wc "ep=$EP_B"
		xt_is op RECV
		xt_is byte_len "$size"
		xt b check buf=m off=$FAR "len=$size" "seed=$seed" pos=0
		untouched b 2097152 "$size"
	done
done

say "scattered: the same octets in four pieces on both sides"
for size in 7 4096 65536; do
	seed=$((seed + 1))
	xt a fill buf=m "len=$size" "seed=$seed"
	xt b recv "ep=$EP_B" buf=m off=$FAR "len=$size" sges=4
	xt_wc SUCCESS a wr op=send buf=m "len=$size" sges=4
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt b check buf=m off=$FAR "len=$size" "seed=$seed" pos=0
	xt_wc SUCCESS a wr op=write buf=m "len=$size" sges=4
	xt_wc SUCCESS a wr op=read buf=m off=4M "len=$size" sges=1
	xt b check buf=m "len=$size" "seed=$seed"
	xt a check buf=m off=4M "len=$size" "seed=$seed" pos=0
done

say "inline"
xt a fill buf=m len=64 seed=77
xt_wc SUCCESS a wr op=write buf=m len=64 inline=1
xt b recv "ep=$EP_B" buf=m off=$FAR len=64
xt_wc SUCCESS a wr op=send buf=m len=64 inline=1
xt_wc SUCCESS b wc "ep=$EP_B"
xt b check buf=m off=$FAR len=64 seed=77 pos=0
xt b check buf=m len=64 seed=77

# writes SIZE DEPTH: runs 64 verified Writes of SIZE octets, DEPTH at a time. If siw completes a
# Write before an earlier Read, the exerciser reports an error, which this function ignores.
writes()
{
	set -- "ep=$EP_A" op=write buf=m off=4M "len=$1" "qd=$2" count=64 verify=1
	if [ "$(xt_type)" = siw ]; then
		xt_try a run "$@" || { xt_is errno EILSEQ && xt_is bad 0; }
	else
		xt a run "$@"
	fi
}

say "many in flight, each verified"
for size in 1 4095 4096 16385; do
	# A Read requires contiguous memory. Bounce buffers are contiguous up to 256 KiB, so use at
	# most 256 KiB at a time.
	qd=$((size > 4096 ? 7 : 16))
	writes "$size" $qd
	xt b fill buf=m len=1M seed=9
	xt a run "ep=$EP_A" op=read buf=m off=4M "len=$size" qd=$qd count=64 verify=1 seed=9
done
xt b sink "ep=$EP_B" n=64 len=16385 off=$FAR verify=1
xt a run "ep=$EP_A" op=send buf=m off=4M len=16385 qd=16 count=64 verify=1
xt_sunk b "$EP_B" messages 64

xt a query "ep=$EP_A"
[ "$(xt_type)" = siw ] || xt_is misordered 0
xt_is ghosts 0
xt_is qp_events ''
xt_part
xt b close ep=all
xt_clean a
