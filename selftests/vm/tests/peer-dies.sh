# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The peer's machine dies during Writes, Reads and NVMe-oF I/O. After peer-time, xiw detects this.
# All work requests are flushed, I/O fails, all objects can be destroyed, and the driver can be
# unloaded.
# topology: pair
# kernels: all
# rnic: soft
# timeout: 150
# shellcheck shell=bash

# Data in flight stays below the capacity of the lab's link. With more data, the link would fill
# after the death of the peer, and the interface of the sender would stop.
LOAD=(len=8192 qd=4)

sent() { cat /sys/class/net/"$DEV_A"/statistics/tx_bytes; }
received() { cat /sys/class/net/"$DEV_A"/statistics/rx_bytes; }
more_than() { [ "$("$1")" -gt "$2" ]; }
still() { [ "$(told a '[.connections[] | select(.role == "initiator")] | length' conn "$RD_A")" = "$1" ]; }

xt_up
configure peer-time=3s
xt_open b b
xt b buf name=m size=8M
xt_listen backlog=8
declare -A EP=() OP=([writer]=write [reader]=read)
for session in writer reader a; do
	xt_open $session a
	xt $session buf name=m size=8M
	xt $session connect "addr=$IP_B" "port=$XT_PORT"
	EP[$session]=${XT[ep]}
done

on_b nvmet_up rdma "$IP_B" || fail "target"
disk=$(nvme_up rdma "$IP_B" 4420 --ctrl-loss-tmo=5 --reconnect-delay=2 --keep-alive-tmo=60) ||
	fail "connect: $disk"
streams=$(told a '[.connections[] | select(.role == "initiator")] | length' conn "$RD_A")
[ "$streams" -ge 5 ] || fail "only $streams connections"

say "traffic on $streams connections"
for session in writer reader; do
	xt_start $session run "op=${OP[$session]}" buf=m off=4M "${LOAD[@]}" ms=120000 timeout=300000
done
fio --name=load --filename="$disk" --direct=1 --ioengine=libaio --rw=randrw --bs=4k \
	--size=64m --iodepth=8 --time_based --runtime=120 >/tmp/fio.out 2>&1 &
FIO=$!
wait_for 30 more_than sent $(($(sent) + 2000000)) || fail "nothing is sent"
wait_for 30 more_than received $(($(received) + 2000000)) || fail "nothing is received"

say "the machine of b dies"
START=$(now_ms)
configure_a startup-time=2s
b_dies
for session in a writer reader; do
	[ $session = a ] || xt_ends $session '^status=error errno=EIO .*wc=WR_FLUSH_ERR'
	xt $session wait "ep=${EP[$session]}" state=disconnected
	took=$(($(now_ms) - START))
	say "$session noticed after $took ms"
	[ $took -le $((3000 + 6000 * PATIENCE)) ] || fail "$session: after $took ms"
	xt $session query "ep=${EP[$session]}"
	xt_is qp_state ERR
	xt_is qp_events QP_FATAL
done

say "storage"
wait_for 40 test ! -b "$disk" || fail "$disk is still there"
rc=0
wait $FIO || rc=$?
[ $rc -ne 0 ] || fail "fio: $(tail -n 5 /tmp/fio.out)"
# Some connections are not lost: NVMe closes its other queues itself when it loses one queue.
lost=$(counter a aborts)
[ "$lost" -ge 4 ] || fail "only $lost of $streams connections were lost"

say "everything goes"
for session in writer reader a; do
	xt $session close ep=all
done
xt_clean a
for session in writer reader a; do
	xt_close $session
done
nvme_down || fail "nvme"
wait_for 10 storage_gone a || fail "objects stay: $(objects_of a)"
expect "the exerciser" unload xiw_test
expect "the device" rdma link del "$RD_A"
expect "the driver" unload xiw
