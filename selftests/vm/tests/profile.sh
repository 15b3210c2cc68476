# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Profiles how many instructions each function executes for an operation, as the sum of both ends.
# Run it by `lab run --profile profile`.
# XIW_TEST_TYPES: xiw (default), siw or tcp. XIW_TEST_PARTS: what to profile (default: all of "user
# nvme verbs connections"). With tcp, the test profiles only nvme.
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 1800
# group: profile
# not-uml: QEMU counts the instructions
# after: profile
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPES:-xiw}
MS=${XIW_TEST_MS:-50}

# ios: sets IOS to the number of reads and writes that disk has completed
ios()
{
	local reads writes
	read -r reads _ _ _ writes _ <"/sys/block/${disk##*/}/stat"
	IOS=$((reads + writes))
}
ios_beyond() { ios && [ "$IOS" -gt "$1" ]; }

# job RW OCTETS DEPTH MS: runs fio on disk for MS milliseconds, with the pattern RW, blocks of
# OCTETS and queue depth DEPTH
job()
{
	fio --name=profile --filename="$disk" --direct=1 --ioengine=libaio --rw="$1" --bs="$2" \
		--iodepth="$3" --size=128m --time_based --runtime="$4ms" --norandommap \
		--randrepeat=1 >/tmp/fio.out 2>&1
}

# nvme RW OCTETS DEPTH: calls job() with these arguments, and profiles it for $MS milliseconds while
# it runs
nvme()
{
	local from pid
	ios
	from=$IOS
	job "$1" "$2" "$3" $((MS * 4)) &
	pid=$!
	wait_for 10 ios_beyond $((from + 100))
	ios
	from=$IOS
	xiw-mark
	nap "$(printf '0.%03d' "$MS")"
	ios
	xiw-mark
	from=$((IOS - from))
	wait "$pid" || fail "fio: $(tail -n 3 /tmp/fio.out)"
	profiled "$from" "$1-$2-$3"
}

# verbs OP OCTETS DEPTH: profiles the operation OP of the exerciser
verbs()
{
	local run=(run "ep=$EP_A" "op=$1" buf=m off=4M "len=$2" "qd=$3" "ms=$MS" timeout=5000)
	xt a "${run[@]}"
	xiw-mark
	xt a "${run[@]}"
	xiw-mark
	profiled $((MS * 1000000 / ${XT[ns_per_op]})) "$1-$2-$3"
}

packets() { cat "/sys/class/net/$DEV_A/statistics/rx_packets"; }
packets_beyond() { [ "$(packets)" -gt "$1" ]; }

# user NAME COLUMN NANOSECONDS PROGRAM OPTION...: profiles PROGRAM, of Debian's perftest, for $MS
# milliseconds while it runs. COLUMN: index of a column of the output, from 0. NANOSECONDS: jq
# expression for the time of one operation; $is is the value in COLUMN
user()
{
	local port=$((USER_PORT++)) from pid time line
	server_up "$port" within 60 "${@:4}" -e -R -F -d "$RD_B" -p "$port"
	from=$(packets)
	on_a within 60 "${@:4}" -e -R -F -d "$RD_A" -p "$port" "$IP_B" >/tmp/perftest.out 2>&1 &
	pid=$!
	wait_for 20 packets_beyond $((from + 500)) || fail "no packets: $(cat /tmp/perftest.out)"
	time=${EPOCHREALTIME/./}
	xiw-mark
	nap "$(printf '0.%03d' "$MS")"
	xiw-mark
	time=$((${EPOCHREALTIME/./} - time))
	kill -0 $pid || fail "$1: over too soon"
	wait $pid || fail "$1: $(tail -n 3 /tmp/perftest.out)"
	wait "$SERVER" || fail "server: $(tail -n 3 "$SERVER_LOG")"
	read -r -a line < <(grep -E '^ *[0-9]+ +[0-9]+ +[0-9.]+ ' /tmp/perftest.out)
	profiled "$(jq -n "$time * 1000 / ($3) | round" --argjson is "${line[$2]}")" "$1"
}

# user_part: profiles operations of user space
user_part()
{
	user_provider
	expect "devices" rdma_up "$XIW_TEST_TYPE"
	user user-send-64-1 5 '$is * 1000' ib_send_lat -s 64 -n 8000
	user user-send-64-128 4 '1000 / $is' ib_send_bw -s 64 -n 20000
	rdma_down
	unload "$XIW_TEST_TYPE"
}

# nvme_part: profiles NVMe over Fabrics
nvme_part()
{
	local trtype=rdma
	if [ "$XIW_TEST_TYPE" = tcp ]; then trtype=tcp; else rdma_up "$XIW_TEST_TYPE"; fi
	expect "target" on_b nvmet_up $trtype "$IP_B" 4420 ipv4 "$(nvmet_disk 256 0)"
	disk=$(on_a nvme_up $trtype "$IP_B") || fail "connect: $disk"
	expect "reads" job read 131072 16 $MS
	nvme write 131072 16
	nvme randread 4096 16
	nvme randread 4096 1
	expect "host gone" on_a nvme_down
	expect "target gone" on_b nvmet_down
	[ "$XIW_TEST_TYPE" != tcp ] || return 0
	rdma_down
	unload "$XIW_TEST_TYPE"
}

# verbs_part: profiles operations of the kernel's verbs
verbs_part()
{
	local side op
	xt_up
	for side in a b; do
		xt_open $side $side
		xt $side buf name=m size=40M
	done
	xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1M sq=64 sink=32 \
		sink_len=1M sink_off=4M rq=64
	xt_join sq=64
	for op in write read send; do
		verbs $op 64 1
	done
	for op in write read; do
		verbs $op 4096 16
		verbs $op 1048576 16
	done
	verbs write 65536 16
	verbs fetchadd 8 16
	xt_close a
	xt_close b
	speed_down
}

# connections_part: profiles connecting and closing two groups of 100 connections. The first group
# also causes one-time allocations, so use the numbers of the second group for comparisons.
connections_part()
{
	local group n=100
	xt_up
	for group in 0 1; do
		speed_listen $group
		xiw-mark
		speed_connect $group $n || fail "no connections: ${XT[0]}"
		xiw-mark
		profiled $n "connect-$group"
	done
	for group in 0 1; do
		xiw-mark
		xt_close "a$group"
		xt_close "b$group"
		xiw-mark
		profiled $n "close-$group"
	done
	speed_down
}

link_mtu 1500
read -r -a PARTS <<<"${XIW_TEST_PARTS:-user nvme verbs connections}"
[ "$XIW_TEST_TYPE" != tcp ] || PARTS=(nvme)
for part in "${PARTS[@]}"; do
	"${part}_part"
done
