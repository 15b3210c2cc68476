# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Send with Immediate is an experiment (docs/send-with-immediate.md). By default, it is off, and it
# is refused in both directions. If it is on, a message is one work request and consumes one
# receive, with one completion at each end.
# topology: one netns pair
# kernels: all
# rnic: soft pci
# timeout: 240
# shellcheck shell=bash

# caps: prints [offered, agreed]: whether the device of side a offers Send with Immediate, and
# whether a connection of this device uses it
caps()
{
	told a '[.capabilities[] | {qpn} +
		(.entries[] | select(.capability == "send_with_immediate"))] |
		[(.[] | select(.qpn == null).offered), any(.[]; .agreed == true)]' caps "$RD_A"
}

xt_up
xt_pair
xt_listen poll=event split=1

say "off by default"
xt_join
told_is a false '.config[0].settings.send_with_immediate' config show "$RD_A"
xt_err EOPNOTSUPP a wr "ep=$EP_A" op=send_imm buf=m len=8 imm=1
xt_wc SUCCESS a wr "ep=$EP_A" op=write buf=m len=8
xt_part

say "on at one end: the other end refuses it"
configure_a send-with-immediate=on
xt_join
xt b fill buf=m off=2M len=4096 byte=170
xt b recv "ep=$EP_B" buf=m off=2M len=4096
xt_err EOPNOTSUPP b wr "ep=$EP_B" op=send_imm buf=m len=8 imm=1
xt_try a wr "ep=$EP_A" op=send_imm buf=m len=8 imm=0x01020304
[[ ${XT[wc]-} == @(SUCCESS|REM_INV_REQ_ERR) ]] || fail "${XT[0]}"
xt_wc WR_FLUSH_ERR b wc "ep=$EP_B"
xt a wait "ep=$EP_A" state=disconnected
xt a query "ep=$EP_A"
xt_is qp_events QP_REQ_ERR
xt b check buf=m off=2M len=4096 byte=170
for side in a b; do
	on_$side xiw term | tee /tmp/term | grep -q 'Send with Immediate.*immediate 0x01020304' ||
		fail "events of $side: $(</tmp/term)"
done
xt a close "ep=$EP_A"
xt b close "ep=$EP_B"

say "on at both ends, for new connections"
xt_join
old_a=$EP_A old_b=$EP_B
configure_b send-with-immediate=on
xt_err EOPNOTSUPP b wr "ep=$EP_B" op=send_imm buf=m len=8 imm=1
xt_join inline=64
xt a close "ep=$old_a"
xt b wait "ep=$old_b" state=disconnected
xt b close "ep=$old_b"
equal "capability of a" "[true,true]" "$(caps)"

# imm SIZE VALUE KEY=VALUE...: sends a Send with Immediate of SIZE octets with the immediate VALUE
# from side a. Checks the completions of both sides, and the data
imm()
{
	xt b fill buf=m off=2M "len=$(($1 + 64))" byte=170
	xt a fill buf=m "len=$1" "seed=$2"
	xt_wc SUCCESS a wr "ep=$EP_A" op=send_imm buf=m "len=$1" "imm=$2" "${@:3}"
	xt_is op SEND
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt_is op RECV
	xt_is imm "$(printf '0x%08x' "$2")"
	xt_is byte_len "$1"
	xt b check buf=m off=2M "len=$1" "seed=$2" pos=0
	xt b check buf=m "off=$((0x200000 + $1))" len=64 byte=170
}

value=0x01020304
for size in 0 1 7 4096 65536 1048576; do
	say "size $size, with a receive of that size"
	xt b recv "ep=$EP_B" buf=m off=2M "len=$size"
	imm $size $value
	value=$((value + 0x11111111))
done
xt b recv "ep=$EP_B" buf=m off=2M len=3000 sges=3
imm 3000 0xffffffff sges=3
xt b recv "ep=$EP_B" buf=m off=2M len=64
imm 50 0 inline=1

say "fenced, behind a Read"
xt b recv "ep=$EP_B" buf=m off=2M len=64
xt a post "ep=$EP_A" op=read buf=m off=4M len=1M more=1
xt a post "ep=$EP_A" op=send_imm buf=m len=8 imm=9 fence=1
xt a wcall "ep=$EP_A" n=2
xt_is SUCCESS 2
xt_wc SUCCESS b wc "ep=$EP_B"
xt_is imm 0x00000009

say "between Sends and Writes with Immediate: receives are taken in order"
xt a fill buf=m len=4096 seed=55
xt b fill buf=m off=2M len=16K byte=170
xt b recv "ep=$EP_B" buf=m off=2M len=4096 n=4
xt a post "ep=$EP_A" op=send buf=m len=100 more=1
xt a post "ep=$EP_A" op=send_imm buf=m len=200 imm=7 more=1
xt a post "ep=$EP_A" op=write_imm buf=m len=300 imm=8 more=1
xt a post "ep=$EP_A" op=send_imm buf=m len=4096 imm=9
xt a wcall "ep=$EP_A" n=4
xt_is SUCCESS 4
xt_wc SUCCESS b wc "ep=$EP_B"; xt_is op RECV; xt_is byte_len 100; xt_is imm ""
xt_wc SUCCESS b wc "ep=$EP_B"; xt_is op RECV; xt_is byte_len 200; xt_is imm 0x00000007
xt_wc SUCCESS b wc "ep=$EP_B"; xt_is op RECV_RDMA_WITH_IMM; xt_is byte_len 300
xt_wc SUCCESS b wc "ep=$EP_B"; xt_is op RECV; xt_is byte_len 4096; xt_is imm 0x00000009
xt b check buf=m off=2101248 len=200 seed=55 pos=0
xt b check buf=m off=2105344 len=4096 byte=170
xt b check buf=m off=2109440 len=4096 seed=55 pos=0

say "a CQ armed for solicited completions only"
for len in 0 8 65536; do xt_solicits 65536 op=send_imm "len=$len"; done

say "off again: this connection keeps it"
configure send-with-immediate=off
xt b recv "ep=$EP_B" buf=m off=2M len=64
imm 50 11
equal "capability of a" "[false,true]" "$(caps)"

say "a message for which the receive is too short"
xt b recv "ep=$EP_B" buf=m off=2M len=64
xt_try a wr "ep=$EP_A" op=send_imm buf=m len=65 imm=1
xt_wc LOC_LEN_ERR b wc "ep=$EP_B"
xt a wait "ep=$EP_A" state=disconnected
xt a close "ep=$EP_A"
xt b close "ep=$EP_B"

say "receives of a shared queue"
configure send-with-immediate=on
xt b listen "addr=$IP_B" port=7308 srq=1 srq_max=16
xt b recv "ep=${XT[ep]}" srq=1 buf=m off=2M len=64
xt a connect "addr=$IP_B" port=7308 hello=0
EP_A=${XT[ep]}
xt b wait ep=all state=ready
EP_B=${XT[ep]}
imm 60 77
xt_part

say "many in flight, values and contents verified"
xt b listen "addr=$IP_B" port=7307 sink=32 sink_len=4096 sink_off=2M sink_verify=1
xt a connect "addr=$IP_B" port=7307
EP_A=${XT[ep]}
xt b wait ep=all state=ready
EP_B=${XT[ep]}
xt a run "ep=$EP_A" op=send_imm buf=m off=4M len=3000 qd=16 count=500 verify=1
xt_is count 500
xt_sunk b "$EP_B" imms 500
xt_is imm_bytes 1500000
told_is a 500 '[.connections[].operations[]? | select(.operation == "Send with Immediate").sent] |
	max' conn "$RD_A" --detail
xt_part
xt b close ep=all
xt_clean a
xt_clean b
configure send-with-immediate=off
