# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Records the output of the commands of screens.tsv as a terminal gets it. selftests/screens makes
# pictures from these records. The commands show real objects: NVMe-oF to guest b under load, a
# connection with atomics and immediates, a connection that has ended with an error, and a server of
# xiw ping.
# topology: pair
# kernels: stable
# group: screens
# timeout: 400
# shellcheck shell=bash

COLUMNS=120 LINES=30

# record NAME BESIDE COMMAND: records a prompt, COMMAND and its output into $OUT/NAME, on a terminal
# of COLUMNS by LINES characters. BESIDE: a function that runs at the same time, or - for none
record()
{
	local file=$OUT/$1 keys=/tmp/keys.$1 size shown rc=0
	say "$1: $3"
	mkfifo "$keys"
	exec {KEYS}<>"$keys"
	printf '\033[32m#\033[0m %s\r\n' "$3" >"$file"
	size=$(stat -c %s "$file")
	within 60 env TERM=xterm-256color script -qec \
		"stty cols $COLUMNS rows $LINES && cd /tmp && exec $3" /dev/null \
		<&"$KEYS" >>"$file" &
	shown=$!
	RECORDED=$file
	[ "$2" = - ] || "$2"
	# xiw doctor returns its verdict as its exit status.
	wait $shown || rc=$?
	[ "$rc" -le 2 ] || fail "$3: status $rc: $(<"$file")"
	exec {KEYS}>&-
	[ "$(stat -c %s "$file")" -gt "$size" ] || fail "$3: nothing shown"
}

# frames: waits until xiw top has drawn several frames, so that its rates refer to whole seconds;
# then ends xiw top
frames()
{
	drawn() { [ "$(grep -ao 'xiw top' "$RECORDED" | wc -l)" -ge 4 ]; }
	wait_for 30 drawn || fail "top draws nothing"
	printf q >&"$KEYS"
}

# events: causes more events than the screen shows: connections that begin, fail and end
events()
{
	local n
	wait_for 10 listener || fail "nobody listens"
	expect "a setting" on_a xiw config set xiw0 park-time=5s
	for ((n = 0; n < 4; n++)); do
		xt spoiler connect "addr=$IP_B" "port=$XT_PORT"
		xt_try spoiler wr op=write buf=m len=100 rkey=0x77777700 raddr=0x1230 || :
		xt spoiler wait ep=all state=disconnected
		xt spoiler close ep=all
	done
}

# listener: succeeds if the tool has joined a multicast group of generic netlink (protocol 16)
listener()
{
	awk -v pid="$(pgrep -x xiw)" '$2 == 16 && $3 == pid && $4 != "00000000" { found = 1 }
		END { exit !found }' /proc/net/netlink
}

mkdir -p /dev/pts
mountpoint -q /dev/pts || mount -t devpts devpts /dev/pts
RD_A=xiw0 RD_B=xiw0 XT_PORT=7400
expect "xiw0 on a" on_a rdma_link xiw xiw0 "$DEV_A"
expect "xiw0 on b" on_b rdma_link xiw xiw0 "$DEV_B"
user_provider
expect "histograms" on_a xiw config set xiw0 latency=on

expect "target" on_b nvmet_up rdma "$IP_B"
DISK=$(nvme_up rdma "$IP_B") || fail "connect: $DISK"
fio --name=load --filename="$DISK" --direct=1 --ioengine=libaio --rw=randrw --bs=4k-64k \
	--iodepth=4 --time_based --runtime=100000 --rate_iops=40 --output-format=terse \
	--minimal >/tmp/fio.out 2>&1 &

expect "exerciser" on_a load xiw_test
expect "exerciser on b" on_b load xiw_test
xt_pair
xt_open spoiler a
xt spoiler buf name=m size=1M
xt_listen
capture atomics.pcap "tcp port $XT_PORT"
xt_join
xt_wc SUCCESS a wr op=write buf=m len=2000
xt_wc SUCCESS a wr op=fetchadd add=15
xt_wc SUCCESS a wr op=mcmpswp cmp=0xff swap=0x0123 cmask=0xff smask=0xffff
xt b recv "ep=$EP_B" len=0
xt_wc SUCCESS a wr op=write_imm buf=m len=1000 imm=0x7306beef
xt_wc SUCCESS b wc "ep=$EP_B"
xt_wc SUCCESS a wr op=read buf=m off=4M len=3000
xt spoiler connect "addr=$IP_B" "port=$XT_PORT"
xt_try spoiler wr op=fetchadd add=1 raddr=0x1233 rkey=0x77777700 || :
xt spoiler wait ep=all state=disconnected
xt spoiler close ep=all
captured
mv "$OUT/atomics.pcap" /tmp/
server_up 7306 xiw ping --serve "$IP_B"
QP=$(told a "[.connections[] | select(.remote.port == $XT_PORT)][0].qpn" conn xiw0)

while IFS=$'\t' read -r -u 9 name beside command; do
	[[ $name != \#* ]] || continue
	record "$name" "$beside" "${command//QP/$QP}"
done 9</lab/in/tests/screens.tsv
