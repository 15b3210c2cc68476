# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw ping works between two devices: every operation gets the right answer, the tool detects wrong
# data, and each kind of failure has its own exit status. The test also runs xiw selftest on one
# device.
# topology: one netns
# kernels: all
# timeout: 300
# shellcheck shell=bash

user_up
ALL='["send","write","read","atomic","imm"]'
OPERATIONS='[.ping.operations[].operation]'

say "all operations, of several sizes"
for size in 1 64 5000 1048576; do
	rounds=$((size > 5000 ? 2 : 20))
	serve --once
	ping_is 0 '' -c $rounds -s $size -p $PORT "$IP_B"
	server_done
	ping_told "$ALL" "$OPERATIONS"
	ping_told "[$rounds]" '[.ping.operations[].count] | unique'
	ping_told '[0]' '[.ping.operations[].wrong] | unique'
	ping_told "$size" '.ping.operations[0].octets'
	ping_told '[true]' '[.ping.operations[] | .min_ns > 0 and .min_ns <= .p50_ns and
		.p50_ns <= .p99_ns and .p99_ns <= .max_ns] | unique'
	ping_told '[]' .ping.missing
done
[ "$TOPOLOGY" != netns ] || ping_told "\"$RD_A\"" .ping.device
serve --once
ping_is 0 '' -c 20 --op atomic,imm -p $PORT "$IP6_B"
server_done
ping_told '["atomic","imm"]' "$OPERATIONS"

say "several clients at once, and the end of the server"
serve
pids=()
for n in 1 2 3; do
	on_a xiw ping -W $WAIT -c 50 -p $PORT "$IP_B" >/tmp/many-$n.log 2>&1 &
	pids+=($!)
done
for n in 1 2 3; do
	wait "${pids[n - 1]}" || fail "client $n: $(cat /tmp/many-$n.log)"
	grep -q '^  atomic  *8  *50  *0  ' /tmp/many-$n.log || fail "$(cat /tmp/many-$n.log)"
done
three_gone() { [ "$(grep -c ' gone after 150 answers' "$SERVER_LOG")" -eq 3 ]; }
wait_for 10 three_gone || fail "clients of the server: $(cat "$SERVER_LOG")"

say "a user who has seen enough"
rounds() { [ "$(grep -c '^round ' /tmp/rounds.log)" -ge "$1" ]; }
# rounds_begin: starts xiw ping in the background and waits for three rounds. Sets CLIENT to the
# process ID of xiw ping. No shell runs between this shell and xiw ping, so a signal reaches xiw
# ping
rounds_begin()
{
	local into=()
	[ "$TOPOLOGY" != netns ] || into=(nsenter --net=/run/netns/a)
	"${into[@]}" xiw ping -i 0.05 -W $WAIT -p $PORT "$IP_B" >/tmp/rounds.log 2>&1 &
	CLIENT=$!
	wait_for 10 rounds 3 || fail "no rounds: $(cat /tmp/rounds.log)"
}
# server_signal SIGNAL: sends SIGNAL to the server xiw ping, and not to the shells that have started
# it
server_signal() { kill "-$1" "$(pgrep -x -f "xiw ping --serve -p $PORT")"; }
rounds_begin
kill -INT $CLIENT
wait $CLIENT || fail "interrupted: status $?: $(cat /tmp/rounds.log)"
grep -q '^  OPERATION' /tmp/rounds.log || fail "no table: $(cat /tmp/rounds.log)"

say "a signal ends the lookup of a name"
# quiet CMD...: runs CMD in a network namespace whose DNS server never answers
quiet()
{
	exec nsenter --net=/run/netns/quiet unshare --mount sh -c \
		'mount --bind /tmp/resolv.conf /etc/resolv.conf && exec "$@"' sh "$@"
}
ip netns add quiet
ip -n quiet link set lo up
echo nameserver 127.0.0.1 >/tmp/resolv.conf
quiet socat -u UDP-RECV:53,bind=127.0.0.1 OPEN:/tmp/queries,creat,append &
DNS=$!
dns_there() { grep -qs ':0035 ' "/proc/$DNS/net/udp"; }
wait_for 10 dns_there || fail "no DNS server"
client_over() { ! kill -0 "$CLIENT" 2>/dev/null; }
for words in "-c 1 somebody.test" "--serve somebody.test"; do
	: >/tmp/queries
	# shellcheck disable=SC2086 # several words
	quiet xiw ping $words &
	CLIENT=$!
	wait_for 10 test -s /tmp/queries || fail "$words: no query"
	kill -TERM $CLIENT
	wait_for 3 client_over || fail "$words: a signal has no effect"
	rc=0
	wait $CLIENT || rc=$?
	equal "status of $words" 143 $rc
done
kill $DNS
wait $DNS || :
ip netns del quiet

say "a server that is killed"
rounds_begin
server_signal KILL
rc=0
wait $CLIENT || rc=$?
cat /tmp/rounds.log
equal "status behind a killed server" 1 $rc
wait "$SERVER" || :

say "a server that is told to end"
serve
server_signal TERM
server_done
grep -q '^interrupted' "$SERVER_LOG" || fail "$(cat "$SERVER_LOG")"

say "wrong answers are noticed, of each operation"
for op in send write read atomic imm; do
	serve --once --corrupt
	ping_is 5 "^xiw: $op, round 1: " -c 3 --op $op -p $PORT "$IP_B"
	server_done
	# For an atomic, the server changes only the initial value of the word. xiw ping derives
	# each later expected result from the previous result. So only the first result is wrong.
	case $op in
	atomic) ping_told '[1]' '[.ping.operations[].wrong]' ;;
	*) ping_told '[3]' '[.ping.operations[].wrong]' ;;
	esac
done

say "ways to fail"
ping_is 2 "HOST" -c 1
ping_is 1 "no service listens" -c 1 -p $((USER_PORT++)) "$IP_B"
# No machine on the link has this address. The address resolution fails before the time limit.
ping_is 1 "10.10.0.99" -c 1 10.10.0.99
# rping listens on this port, instead of a server of xiw ping.
PORT=$((USER_PORT++))
server_up $PORT rping -s -a "$IP_B" -p $PORT -C 1
ping_is 1 "is not a server of xiw ping" -c 1 -p $PORT "$IP_B"
wait "$SERVER" || :
# One side disables atomics. If side b disables them, the client detects this by the Terminate of
# side b. If side a disables them, the driver of side a refuses the atomic.
configure_b atomics=off
serve --once
ping_is 6 "refuses it" -c 1 --op send,atomic -p $PORT "$IP_B"
server_done
ping_told '[1,0]' '[.ping.operations[].count]'
configure_b atomics=on
if [ "$TOPOLOGY" = netns ]; then
	configure_a atomics=off
	serve --once
	ping_is 6 "not supported" -c 1 --op atomic -p $PORT "$IP_B"
	server_done
	configure_a atomics=on
fi

say "the self-test"
selftest_is 0
ping_told "\"$RD_B\"" .selftest.device
ping_told '[]' '[.selftest.cases[] | select(.verdict != "pass")]'
[ "$(jq '.selftest.cases | length' $OUT_LOG)" -ge 30 ] || fail "too few cases"
configure_b immediates=off
selftest_is 1
ping_told '"fail"' '.selftest.cases[] | select(.case == "write-imm") | .verdict'
configure_b immediates=on
rc=0
on_b xiw selftest nosuch >$OUT_LOG 2>&1 || rc=$?
equal "status of the self-test of a device that is not there" 1 $rc
grep -q 'valid: ' $OUT_LOG || fail "$(cat $OUT_LOG)"
user_clean

if [ "$TOPOLOGY" = one ] && ! rnic_pci; then
	say "over another driver"
	rdma_down || fail "a device stays"
	expect "rxe" rdma_up rxe
	serve --once
	ping_is 0 '' -c 20 -p $PORT "$IP_B"
	server_done
	ping_told "$ALL" "$OPERATIONS"
	selftest_is 0
	ping_told '["masked-fetch-add","masked-cmp-swap","send-invalidate"]' \
		'[.selftest.cases[] | select(.verdict != "pass") | .case]'
fi

say "no device"
rdma_down || fail "a device stays"
ping_is 3 "RDMA device" -c 1 "$IP_B"
rc=0
on_a xiw selftest >$OUT_LOG 2>&1 || rc=$?
equal "status of the self-test without a device" 3 $rc
