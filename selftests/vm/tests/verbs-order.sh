# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The driver keeps the order of RFC 7306 section 7 for users of verbs. The test checks the table of
# that section row by row. A message without a receive waits, and operations that the table orders
# after this message do not overtake it. Reads and Atomics share the ORD and IRD of their
# connection, in both directions, even if ORD and IRD are 1. Connections do not share ORD and IRD
# with each other. [R-SEC-021] [S-REM-017]
# topology: one
# kernels: all
# timeout: 180
# shellcheck shell=bash

xt_up
xt_pair
configure park-time=30s

# meet: makes a connection on which only commands poll the CQ of side b. So the command "poll" shows
# the contents of the CQ at that time. The exerciser's hello has left a completion in the CQ. The
# command "wr" polls, and so removes this completion
meet()
{
	xt_listen poll=event split=1
	xt_join
	xt_wc SUCCESS b wr "ep=$EP_B" op=write len=0
}
apart() { xt_part; xt b close ep=all; }
# in_cq N: checks that the CQ of side b has N completions
in_cq() { xt b poll "ep=$EP_B"; xt_is n "$1"; }
word() { xt b poke buf=m "val=$1"; }
word_is()
{
	xt b peek buf=m
	equal "$STEP: the word" "$(printf '0x%016x' "$1")" "${XT[val]}"
}
step() { STEP=$*; say "$STEP"; }
# nothing SIDE EP: checks that endpoint EP of SIDE has no completion
nothing() { xt_err ETIMEDOUT "$1" wc "ep=$2" timeout=150; }

# first FIRST SECOND: posts the operations FIRST and SECOND in one call. Side b has no receive yet.
# FIRST: Immediate or Send. SECOND: Atomic or Read
first()
{
	case $1 in
	Immediate) xt a post "ep=$EP_A" op=write_imm len=0 imm=7 more=1 signal=0 ;;
	Send) xt a post "ep=$EP_A" op=send buf=m len=3000 more=1 signal=0 ;;
	esac
	case $2 in
	Atomic) xt a post "ep=$EP_A" op=fetchadd add=5 ;;
	Read) xt a post "ep=$EP_A" op=read buf=m off=64K len=8 ;;
	esac
}

meet
xt a fill buf=m len=64K seed=3
for f in Immediate Send; do
	for second in Atomic Read; do
		# [R-ORD-024] [R-RD-019] [X-ORD-004] [X-ORD-006] [X-ORD-012] [X-ORD-013] [X-ORD-020]
		# [X-ORD-021]
		step "$f, $second: no response before the $f has completed"
		word 1
		first $f $second
		wait_for 10 parked_is 1 || fail "$STEP: not parked"
		nothing a "$EP_A"
		word_is 1
		xt b fill buf=m off=2M len=4096 byte=170
		xt b recv "ep=$EP_B" buf=m off=2M len=4096
		xt a wc "ep=$EP_A"
		xt_is wc SUCCESS
		# The response has arrived. So the completion of the receive must be in the CQ of
		# side b already, and the payload must have been placed.
		in_cq 1
		[ $f = Immediate ] || xt b check buf=m off=2M len=3000 seed=3 pos=0
		xt b wc "ep=$EP_B"
		xt_is wc SUCCESS
		[ $second = Read ] || word_is 6
	done
done

step "Send, Immediate and Immediate, Send: completed in order"	# [X-ORD-011] [X-ORD-014] [X-IMM-013]
kinds=()
xt b recv "ep=$EP_B" buf=m off=2M len=64 n=40
for ((i = 0; i < 40; i++)); do
	kinds[i]=$((RANDOM % 2))
	more=$((i < 39))
	case ${kinds[i]} in
	0) xt a post "ep=$EP_A" op=send buf=m len=$((i + 1)) more=$more ;;
	1) xt a post "ep=$EP_A" op=write_imm buf=m len=$((i * 50)) imm=$i more=$more ;;
	esac
done
xt a wcall "ep=$EP_A" n=40
xt_is SUCCESS 40
for ((i = 0; i < 40; i++)); do
	xt_wc SUCCESS b wc "ep=$EP_B"
	case ${kinds[i]} in
	0) xt_is op RECV; xt_is byte_len $((i + 1)) ;;
	1) xt_is imm "$(printf '0x%08x' $i)"; xt_is byte_len $((i * 50)) ;;
	esac
done

step "Immediate, Write: all of both comes"
xt b recv "ep=$EP_B" len=0
xt b fill buf=m len=64K byte=170
xt a post "ep=$EP_A" op=write_imm len=0 imm=9 more=1
xt a post "ep=$EP_A" op=write buf=m len=64K
xt a wcall "ep=$EP_A" n=2
xt_is SUCCESS 2
xt_wc SUCCESS b wc "ep=$EP_B"
xt_wc SUCCESS a wr op=read buf=m off=1M len=8
xt b check buf=m len=64K seed=3

step "Write, Send: the octets are there when the Send is"	# [R-ORD-009]
for ((i = 0; i < 8; i++)); do
	xt a fill buf=m len=256K "seed=$((300 + i))"
	xt b recv "ep=$EP_B" buf=m off=2M len=64
	xt a post "ep=$EP_A" op=write buf=m len=256K signal=0 more=1
	xt a post "ep=$EP_A" op=send buf=m len=8 signal=0
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt b check buf=m len=256K "seed=$((300 + i))"
done

step "Write, Immediate: the octets are there when the Immediate is"	# [X-ORD-015]
for ((i = 0; i < 8; i++)); do
	xt a fill buf=m len=256K "seed=$((100 + i))"
	xt b recv "ep=$EP_B" len=0
	xt a post "ep=$EP_A" op=write buf=m len=256K signal=0 more=1
	xt a post "ep=$EP_A" op=write_imm len=0 imm=$i signal=0
	xt_wc SUCCESS b wc "ep=$EP_B"
	xt b check buf=m len=256K "seed=$((100 + i))"
done

step "Write, Atomic: it works on what was written, and all of that is there"	# [X-ORD-022]
for ((i = 0; i < 8; i++)); do
	xt a fill buf=m len=256K "seed=$((200 + i))"
	xt a poke buf=m "val=$((i * 1000))"
	xt a post "ep=$EP_A" op=write buf=m len=256K signal=0 more=1
	xt_wc SUCCESS a wr "ep=$EP_A" op=fetchadd add=1
	xt_is result "$(printf '0x%016x' $((i * 1000)))"
	xt b check buf=m off=8 len=262136 "seed=$((200 + i))"
	word_is $((i * 1000 + 1))
done

step "Read or Atomic, Immediate: the Immediate may come first, and both come"	# [X-ORD-016]
step "Atomic, Send and Write: the same"	# [X-ORD-017]
word 0
xt b recv "ep=$EP_B" buf=m off=2M len=64 n=3
xt a post "ep=$EP_A" op=read buf=m off=1M len=64K more=1
xt a post "ep=$EP_A" op=write_imm len=0 imm=1 more=1
xt a post "ep=$EP_A" op=fetchadd add=1 more=1
xt a post "ep=$EP_A" op=write_imm len=0 imm=2 more=1
xt a post "ep=$EP_A" op=fetchadd add=1 more=1
xt a post "ep=$EP_A" op=send buf=m len=8 more=1
xt a post "ep=$EP_A" op=fetchadd add=1 more=1
xt a post "ep=$EP_A" op=write buf=m len=64 roff=64
xt a wcall "ep=$EP_A" n=8
xt_is SUCCESS 8
xt b wcall "ep=$EP_B" n=3
xt_is SUCCESS 3
word_is 3
apart

for ord in 1 16; do
	# [X-ORD-009] [X-ORD-010] [X-ORD-018] [X-ORD-019] [X-ORD-023] [X-ATOM-007] [X-ATOM-042]
	# [X-ATOM-043] [X-ATOM-052]
	step "Atomic, Atomic, and Reads between, ORD $ord: one after the other"
	xt_listen
	xt_join ord=$ord sq=128
	word 0
	xt b fill buf=m off=8 len=64K byte=170
	for ((i = 0; i < 24; i++)); do
		xt a post "ep=$EP_A" op=cmpswp "cmp=$i" "swap=$((i + 1))" more=1
		# After each Atomic, post a Read of the same word. The Read gets the value that the
		# Atomic has written, or the value of a later Atomic. Its response arrives after the
		# response of the Atomic.
		xt a post "ep=$EP_A" op=read buf=m "off=$((0x100000 + i * 8))" len=8 more=1
	done
	xt a post "ep=$EP_A" op=fetchadd add=100
	for ((i = 0; i < 24; i++)); do
		xt_wc SUCCESS a wc "ep=$EP_A"
		xt_is op COMP_SWAP
		xt_is result "$(printf '0x%016x' $i)"
		xt_wc SUCCESS a wc "ep=$EP_A"
		xt_is op RDMA_READ
		xt a peek buf=m "off=$((0x100000 + i * 8))"
		[ $((XT[val])) -gt $i ] || fail "$STEP: Read $i has seen ${XT[val]}"
	done
	xt_wc SUCCESS a wc "ep=$EP_A"
	xt_is result "$(printf '0x%016x' 24)"
	word_is 124
	xt a query "ep=$EP_A"
	xt_is misordered 0
	xt_is ord $ord
	apart
done

# [X-ATOM-031] [X-ATOM-032] [X-ATOM-037]
for depth in 1 3; do
	step "ORD and IRD of $depth, Reads one way, Atomics the other, then both both ways"
	depths=("ird=$depth" "ord=$depth")
	xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=512K "${depths[@]}"
	xt a connect "addr=$IP_B" "port=$XT_PORT" export=m export_len=512K n=4 "${depths[@]}"
	ends_a=${XT[ep]}-$((XT[ep] + 3))
	xt a query "ep=${XT[ep]}"
	xt_is ord "$depth"
	xt b wait ep=all state=ready n=4
	ends_b=$((XT[ep] - 3))-${XT[ep]}
	xt b query "ep=${XT[ep]}"
	xt_is ord "$depth"
	xt a fill buf=m off=0 len=512K seed=13
	xt b fill buf=m off=0 len=512K seed=14
	reads=(op=read buf=m off=2M len=5000 qd=20 count=50 verify=1)
	adds=(op=fetchadd buf=m off=5M qd=20 count=200 roff=503K)
	xt_start a run "ep=$ends_a" "${reads[@]}" seed=14
	xt b run "ep=$ends_b" "${adds[@]}"
	xt_ends a ' count=200 '
	xt_start a run "ep=$ends_a" "${adds[@]}"
	xt b run "ep=$ends_b" "${reads[@]}" seed=13
	xt_ends a ' count=800 '
	xt a poke buf=m off=503K val=0
	xt b poke buf=m off=503K val=0
	xt_start a run "ep=$ends_a" "${adds[@]}"
	xt b run "ep=$ends_b" "${adds[@]}"
	xt_ends a ' count=800 '
	for side in a b; do
		xt $side peek buf=m off=503K
		equal "$STEP: the word of $side" 0x0000000000000320 "${XT[val]}"
	done
	# Reads and Atomics compete for the ORD of one connection.
	first_a=${ends_a%-*} first_b=${ends_b%-*}
	for ((i = 0; i < 10; i++)); do
		for end in "a $first_a" "b $first_b"; do
			xt "${end% *}" post "ep=${end#* }" op=read buf=m off=2M len=20000 more=1
			xt "${end% *}" post "ep=${end#* }" op=fetchadd add=1 roff=503K
		done
	done
	for end in "a $first_a" "b $first_b"; do
		xt "${end% *}" wcall "ep=${end#* }" n=20
		xt_is SUCCESS 20
		xt "${end% *}" query "ep=${end#* }"
		xt_is misordered 0
		xt "${end% *}" peek buf=m off=503K
		equal "$STEP: the word of ${end% *}" 0x000000000000032a "${XT[val]}"
	done
	xt a close ep=all
	xt b close ep=all
done
xt_clean a
xt_clean b
