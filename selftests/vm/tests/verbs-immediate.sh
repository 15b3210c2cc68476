# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A Write with Immediate is one work request, with one completion at each end. The message consumes
# a receive and does not change the memory of the receive. [X-IMM-006] [X-IMM-013] [X-IMM-015]
# [X-IMM-016] [X-IMM-002] [R-SND-002] [I-SE-001] [I-IMM-002] [I-IMM-007]
# topology: one netns pair
# kernels: all
# timeout: 240
# shellcheck shell=bash

xt_up
xt_pair
xt_listen poll=event split=1
xt_join

# imm SIZE VALUE KEY=VALUE...: sends a Write with Immediate of SIZE octets with the immediate VALUE
# from side a. Checks the completions of both sides and the data. Also checks that the message does
# not change the memory of the receive
imm()
{
	xt b fill buf=m off=2M len=4096 byte=170
	xt b fill buf=m off=0 "len=$(($1 + 64))" byte=170
	xt a fill buf=m "len=$1" "seed=$2"
	xt_wc SUCCESS a wr "ep=$EP_A" op=write_imm buf=m "len=$1" "imm=$2" "${@:3}"
	xt_is op RDMA_WRITE
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_is op RECV_RDMA_WITH_IMM
	xt_is imm "$(printf '0x%08x' "$2")"
	xt_is byte_len "$1"
	xt b check buf=m "len=$1" "seed=$2"
	xt b check buf=m "off=$1" len=64 byte=170
	xt b check buf=m off=2M len=4096 byte=170
}

value=0x01020304
for size in 0 1 7 4096 65536 1048576; do
	say "size $size, with a receive of 4096 octets, then with an empty one"
	xt b recv "ep=$EP_B" buf=m off=2M len=4096
	imm $size $value
	xt b recv "ep=$EP_B" len=0
	imm $size $((value ^ 0xffffffff))
	value=$((value + 0x11111111))
done

say "between Sends: receives are taken in order"
xt a fill buf=m len=4096 seed=55
for i in 1 2 3; do xt b recv "ep=$EP_B" buf=m "off=$((0x200000 + i * 4096))" len=4096; done
xt b fill buf=m off=2M len=16K byte=170
xt a post op=send buf=m len=100 more=1
xt a post op=write_imm buf=m len=4096 imm=7 more=1
xt a post op=send buf=m len=200
xt a wcall n=3
xt_is SUCCESS 3
xt_wc SUCCESS b wc "ep=$EP_B"; xt_is op RECV; xt_is byte_len 100
xt_wc SUCCESS b wc "ep=$EP_B"; xt_is op RECV_RDMA_WITH_IMM; xt_is imm 0x00000007; xt_is byte_len 4096
xt_wc SUCCESS b wc "ep=$EP_B"; xt_is op RECV; xt_is byte_len 200
xt b check buf=m off=2101248 len=100 seed=55 pos=0
xt b check buf=m off=2105344 len=4096 byte=170
xt b check buf=m off=2109440 len=200 seed=55 pos=0

say "a CQ armed for solicited completions only"
for what in "write_imm len=8" "write_imm len=0" "send len=8"; do	# [X-IMM-016] [X-IMM-001]
	read -r -a op <<<"$what"
	xt_solicits 4096 "op=${op[0]}" "${op[1]}"
done

say "a CQ armed for any completion"	# [X-IMM-006]
for se in 0 1; do
	xt b recv "ep=$EP_B" len=0
	xt b arm "ep=$EP_B" q=recv
	before=${XT[notified]}
	xt_wc SUCCESS a wr op=write_imm len=0 imm=1 se=$se
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_notifies "$before" "SE=$se"
done

say "receives of a shared queue, taken by two connections"	# [X-IMM-009]
xt a query "ep=$EP_A"
target=("rkey=${XT[rkey]}" "raddr=${XT[raddr]}")
# shared NTH LEN IMM: sends a Write with Immediate of LEN octets and the immediate IMM over
# connection NTH (0 or 1). Checks that only this connection reports the message
shared()
{
	xt_wc SUCCESS a wr "ep=$((first + $1))" op=write_imm buf=m off=4M "len=$2" "imm=$3" "${target[@]}"
	xt_wc SUCCESS b wc "ep=$((last - 1 + $1))"
	xt_is op RECV_RDMA_WITH_IMM
	xt_is imm "$(printf '0x%08x' "$3")"
	xt_is byte_len "$2"
	xt_err ETIMEDOUT b wc "ep=$((last - $1))" timeout=1
}
xt b listen "addr=$IP_B" port=7308 srq=1 srq_max=16
shared_listener=${XT[ep]}
xt b recv "ep=$shared_listener" srq=1 n=4 buf=m off=2M len=64
xt b recv "ep=$shared_listener" srq=1 n=4 len=0
# Connect one after the other, so that both sides number the connections in the same order.
for i in 1 2; do
	xt a connect "addr=$IP_B" port=7308 hello=0
	[ $i -ne 1 ] || first=${XT[ep]}
	xt b wait ep=all state=ready n=$((i + 1))
	last=${XT[ep]}
done
xt b fill buf=m off=2M len=4096 byte=170
value=1
for len in 0 100 4096 7; do
	shared 0 $len $((value++))
	shared 1 $len $((value++))
done
xt b check buf=m off=2M len=4096 byte=170
xt a close "ep=$first-$((first + 1))"
xt b wait "ep=$((last - 1))-$last" state=disconnected n=2
xt b close "ep=$((last - 1))-$last"
xt_part

say "many in flight, over several connections"
xt b listen "addr=$IP_B" port=7307 export=m export_len=1M sink=32 sink_len=0 sink_verify=1
xt a connect "addr=$IP_B" port=7307 n=4
first=${XT[ep]}
xt b wait ep=all state=ready n=4
last=${XT[ep]}
xt a run "ep=$first-$((first + 3))" op=write_imm buf=m off=4M len=3000 qd=16 count=100 spread=1
xt_is count 400
for ((ep = last - 3; ep <= last; ep++)); do
	xt_sunk b "$ep" imms 100
	xt_is imm_bytes 300000
done
xt a close ep=all
xt b wait "ep=$((last - 3))-$last" state=disconnected n=4
xt b close ep=all
xt_clean a
xt_clean b
