# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# No frame contains a kernel address. ULPs send the TO of a fast registration to their peers, and
# this TO is not a kernel address. The TO of a Read sink that is not registered is not a kernel
# address, either. The TOs of several registrations differ in their lower 32 bits.
# topology: one
# kernels: all
# rnic: soft
# timeout: 120
# shellcheck shell=bash

xt_up
xt_pair
xt_listen

# The range of kernel addresses. On x86-64 with four levels of page tables, all kernel addresses are
# in this range. The TO of a Read sink that is not registered is not in this range, because this TO
# is below 2^63 + 2^62. In User-Mode Linux, the text begins near the first address of the memory.
FIRST=0xffff000000000000 LAST=0xffffffffffffffff
if bench_native; then
	FIRST=0x$(awk '$3 == "_stext" { print $1; exit }' /proc/kallsyms)
	LAST=$((FIRST + 2048 * $(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)))
	[ $((FIRST)) -gt 0 ] || fail "no address of the kernel's text"
fi
say "kernel addresses: from $FIRST to $LAST"

# tellable TO: fails if TO is between FIRST and LAST, or if the top bit of TO is set. This bit is
# set in kernel addresses of most architectures.
tellable()
{
	(($1 >= 0 && ($1 < FIRST || $1 > LAST))) || fail "$1 is an address of the kernel"
}

over() { ! kill -0 "$TOOL" 2>/dev/null; }
xiw capture "$RD_A" -w /tmp/a.pcapng 2>/tmp/a.err &
TOOL=$!
wait_for 10 grep -q '^xiw: capturing on' /tmp/a.err || fail "$(cat /tmp/a.err)"
xt a connect "addr=$IP_B" "port=$XT_PORT"
EP_A=${XT[ep]}
tellable "${XT[raddr]}"
xt b wait ep=all state=ready
EP_B=${XT[ep]}
xt a reg "ep=$EP_A" name=sink buf=m off=2101000 len=64K
tellable "${XT[addr]}"
# The NFS client replaces the upper half of a TO by the XID of its request. So the lower halves must
# distinguish the registrations of one request.
declare -A lower=()
for name in r1 r2 r3 r4; do
	xt a reg "ep=$EP_A" "name=$name" buf=m off=4M len=4K
	lower[$((XT[addr] & 0xffffffff))]=$name
done
equal "TOs that differ in their lower half" 4 ${#lower[@]}
for op in write read; do
	xt_wc SUCCESS a wr "ep=$EP_A" op=$op buf=m len=3000
done
xt_wc SUCCESS a wr "ep=$EP_A" op=read lmr=sink len=4096
xt_wc SUCCESS a wr "ep=$EP_A" op=read buf=m off=4M len=100000
xt_wc SUCCESS a wr "ep=$EP_A" op=read len=0
kill -INT "$TOOL"
wait_for 20 over || fail "the capture does not end"

xiw --json decode /tmp/a.pcapng >/tmp/a.json
equal "addresses of the kernel" "" "$(jq -c --argjson first "$(printf %u $((FIRST)))" \
	--argjson last "$(printf %u $((LAST)))" '[paths(numbers | . >= $first and . <= $last)
	as $at | select($at[-1] | IN("to", "sink_to", "source_to")) |
	{($at | map(tostring) | join(".")): getpath($at)}][:3][]' /tmp/a.json)"
reads=$(jq '[.. | objects | .read_request? // empty] | length' /tmp/a.json)
[ "$reads" -ge 3 ] || fail "$reads Read Requests in the capture"

xt_part
xt b close ep=all
xiw_clean
