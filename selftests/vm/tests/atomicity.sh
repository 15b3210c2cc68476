# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The CPU of one node and up to sixteen connections over two devices of that node change one word.
# Every addition takes effect once, and a lock made of CmpSwaps has one holder at a time. Masked
# atomics keep the two halves of the word apart: neither a carry nor a swap in one half changes the
# other half. [X-ATOM-001] [X-ATOM-002] [X-ATOM-053] [X-ORD-002] [X-ORD-003]
# topology: netns
# kernels: all
# rnic: soft
# timeout: 180
# shellcheck shell=bash

IP_A2=10.11.0.1 IP_B2=10.11.0.2

ip link add va2 netns a type veth peer name vb2 netns b
on_a ip addr add $IP_A2/24 dev va2
on_b ip addr add $IP_B2/24 dev vb2
on_a ip link set va2 up
on_b ip link set vb2 up
wait_for 10 on_a ping -c 1 -W 1 $IP_B2 || fail "no second link"
xt_up
expect "a second device on a" on_a rdma_link xiw xiwa2 va2
expect "a second device on b" on_b rdma_link xiw xiwb2 vb2
xt_pair
# Session c of side a has connections of its own.
xt_open c a
xt c buf name=m size=1M
xt b devinfo "dev=$RD_B"
xt_is atomic GLOB

xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=64K
xt b listen "addr=$IP_B2" "port=$XT_PORT" export=m export_len=64K

# eight SESSION: makes four connections from SESSION of side a over each of the two links; sets
# GROUP to the range of their endpoint numbers
eight()
{
	local first
	xt "$1" connect "addr=$IP_B" "port=$XT_PORT" n=4
	xt_is dev "$RD_A"
	first=${XT[ep]}
	xt "$1" connect "addr=$IP_B2" "port=$XT_PORT" n=4
	xt_is dev xiwa2
	equal "ends of $1" $((first + 4)) "${XT[ep]}"
	GROUP=$first-$((first + 7))
}
eight a; ENDS_A=$GROUP
eight c; ENDS_C=$GROUP

# both UPPER LOWER: prints a word that consists of two numbers of 32 bits
both() { printf '0x%08x%08x' $(($1 & 0xffffffff)) $(($2 & 0xffffffff)); }
# word_is OFFSET VALUE: checks the word at OFFSET of the buffer of side b
word_is()
{
	xt b peek buf=m "off=$1"
	equal "the word at $1" "$2" "${XT[val]}"
}
# cpu_stops COMMAND: stops COMMAND (cpuadd or cpulock) on the CPU of side b; sets CPU to the number
# of additions or locks
cpu_stops()
{
	xt b "$1" buf=m do=stop
	CPU=${XT[count]}
	say "the CPU's part: $CPU"
	[ "$CPU" -gt 0 ] || fail "the CPU did not get its turn"
}

say "FetchAdd: 8 times 500 and the CPU's"
xt b poke buf=m val=0
xt b cpuadd buf=m do=start
xt a run "ep=$ENDS_A" op=fetchadd buf=m off=64K qd=8 count=500
xt_is count 4000
cpu_stops cpuadd
word_is 0 "$(printf '0x%016x' $((4000 + CPU)))"

say "masked: two counters in a word, one of which overflows; also plain FetchAdds and the CPU's"
xt b poke buf=m val=0xfffff000
xt b cpuadd buf=m do=start add=0x100000000
xt_start c run "ep=$ENDS_C" op=mfetchadd buf=m qd=8 count=500 add=0x300000002 mask=0x80000000
xt a run "ep=$ENDS_A" op=fetchadd buf=m off=64K qd=8 count=500 add=0x100000000
xt_ends c ' count=4000 '
cpu_stops cpuadd
word_is 0 "$(both $((4000 + 12000 + CPU)) $((0xfffff000 + 8000)))"

for op in lock mlock; do
	say "$op: 8 times 20 rounds and the CPU's, and a counter in the upper half for mlock"
	xt b poke buf=m val=0
	xt b poke buf=m off=8 val=0
	xt b cpulock buf=m do=start
	[ $op = lock ] || xt_start c run "ep=$ENDS_C" op=fetchadd buf=m qd=4 count=250 add=0x100000000
	xt a run "ep=$ENDS_A" op=$op buf=m off=64K qd=1 count=20
	xt_is count 160
	upper=0
	[ $op = lock ] || { xt_ends c ' count=2000 '; upper=2000; }
	cpu_stops cpulock
	word_is 0 "$(both $upper 0)"
	word_is 8 "$(printf '0x%016x' $((160 + CPU)))"
done

xt_close c
xt a close ep=all
xt b close ep=all
xt_clean a
xt_clean b
