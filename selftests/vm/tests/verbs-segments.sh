# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An skb contains many segments, for speed, and each segment starts with an FPDU, for alignment.
# There is one exception: TCP cuts an skb where the window of the peer ends, and the segments of the
# next skb may then start inside an FPDU. The test permits a few such skbs. A tracepoint of the
# kernel shows the skbs that leave, and a tracepoint of xiw shows the FPDUs that arrive. The test
# computes the position of each segment and each FPDU in the TCP stream, and compares the positions.
# topology: one
# kernels: all
# rnic: soft
# timeout: 180
# shellcheck shell=bash

TRACING=/sys/kernel/tracing
EVENTS=(net/net_dev_start_xmit xiw/xiw_fpdu_rx xiw/xiw_fpdu_tx_batch)

# tracing 0|1: switches the events off or on
tracing()
{
	local event
	for event in "${EVENTS[@]}"; do
		echo "$1" >"$TRACING/events/$event/enable"
	done
}

# laid_over WHAT SEGMENTS: checks the trace. If an skb starts with an FPDU, every segment of this
# skb must start with an FPDU. At most 5 percent of the skbs may start inside an FPDU. An skb must
# have at least SEGMENTS segments on average. WHAT: name of the run in the output
laid_over()
{
	awk -v what="$1" -v want="$2" '
	function value(name,   at) {
		if (!match($0, name "=[0-9]+"))
			return -1
		at = length(name) + 1
		return substr($0, RSTART + at, RLENGTH - at) + 0
	}
	BEGIN { sent = got = segments = skbs = astray = 0 }
	function bad(why) { print what ": " why; failed = 1; exit }
	/entries-written:/ {
		split($3, n, "/")
		if (n[1] != n[2]) bad("trace is not whole: " $3)
	}
	/ net_dev_start_xmit: / {
		len = value("data_len"); size = value("gso_size")
		skb[skbs++] = segments
		for (at = 0; at < len; at += size ? size : len)
			segment[segments++] = sent + at
		sent += len
	}
	# This event is traced after TCP has got the whole batch. The first FPDUs of the batch may
	# have arrived before the event. So use only the MSS of the event, and not its position in
	# the trace.
	/ xiw_fpdu_tx_batch: / { mss = !batches++ || value("mss") < mss ? value("mss") : mss }
	/ xiw_fpdu_rx: .* rdmap=0x42 / { next }	# a Read Response has the opposite direction
	/ xiw_fpdu_rx: / {
		ulpdu = value("ulpdu")
		if (ulpdu > longest) longest = ulpdu
		staged += value("staged")
		start[got] = 1
		# An FPDU consists of the length field, the ULPDU, the PAD and the CRC. The PAD
		# extends the length to a multiple of four octets.
		got += int((2 + ulpdu + 3) / 4) * 4 + 4
		fpdus++
	}
	END {
		if (failed) exit 1
		if (longest + 6 > mss) { print what ": ULPDU of " longest " octets, MSS " mss; exit 1 }
		if (!fpdus || sent != got) { print what ": " sent " octets left, " got " in FPDUs came"; exit 1 }
		skb[skbs] = segments
		for (k = 0; k < skbs; k++) {
			if (!(segment[skb[k]] in start)) { astray++; continue }
			for (i = skb[k]; i < skb[k + 1]; i++)
				if (!(segment[i] in start)) {
					print what ": a segment at " segment[i] " starts inside an FPDU"
					exit 1
				}
		}
		printf "%-24s %6d FPDUs %6d segments %5d skbs %5.1f each %5d sends, %d skbs out of step\n",
			what, fpdus, segments, skbs, segments / skbs, batches, astray
		if (astray * 20 > skbs) { print what ": too many skbs are out of step"; exit 1 }
		if (staged > 2 * astray) { print what ": " staged " FPDUs lay in two skbs"; exit 1 }
		if (segments < want * skbs) { print what ": fewer than " want " segments in an skb"; exit 1 }
	}' $TRACING/trace
}

# look SEGMENTS OP OCTETS DEPTH COUNT: runs COUNT operations OP of OCTETS, DEPTH at a time, and
# checks the trace by laid_over(). On a busy host, TCP may send segments again. The trace then
# contains these segments twice, so the run is repeated
look()
{
	local try before
	for try in 1 2 3 4 5; do
		echo >$TRACING/trace
		before=$(tcp_counter RetransSegs)
		tracing 1
		xt a run "ep=$EP_A" "op=$2" buf=m off=2M "len=$3" "qd=$4" "count=$5"
		# A Write has been placed when the response to a later Read has arrived.
		xt a wr "ep=$EP_A" op=read buf=m len=0
		tracing 0
		[ "$(tcp_counter RetransSegs)" != "$before" ] || break
		say "try $try: TCP sent octets twice"
		[ "$try" -lt 5 ] || fail "TCP keeps sending things twice"
	done
	laid_over "$2 of $3, MTU $MTU" "$1" || fail "$2 of $3 octets, MTU $MTU"
}

xt_up
tcp_calm
# Each CPU traces into a buffer of its own, and a coarse clock does not show which event came first.
# So use the clock "counter".
echo counter >$TRACING/trace_clock
echo 4096 >$TRACING/buffer_size_kb
# xiw puts payload only into the fragments of an skb. So this filter selects the skbs with payload.
echo "name == \"$DEV_A\" && data_len > 0" >$TRACING/events/net/net_dev_start_xmit/filter
for MTU in 1500 9000; do
	link_mtu "$MTU"
	xt_open a a
	xt_open b b
	xt a buf name=m size=20M
	xt b buf name=m size=20M
	xt b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K sink=32 sink_len=128K \
		sink_off=2M rq=64
	xt_join
	many=8
	[ "$MTU" -lt 9000 ] || many=3
	look $many write 1048576 4 8
	look $many write 65536 16 64
	look $many write 65537 16 64
	look 1 write 4096 16 200
	look 1 write 64 16 400
	look $many send 100001 8 32
	look 1 send 1000 16 200
	xt_close a
	xt_close b
done
echo 0 >$TRACING/events/net/net_dev_start_xmit/filter
echo 1408 >$TRACING/buffer_size_kb
echo local >$TRACING/trace_clock
