# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A peer with a valid certificate sends a bad FPDU, and then octets as fast as it can. Its
# connection still ends in time, and the device can still be removed in time. This peer is slower
# than the decryption, so the test does not detect whether xiw_soft_records_read() reads without a
# limit.
# topology: netns
# kernels: stable newest
# rnic: soft
# timeout: 120
# shellcheck shell=bash

GO=/tmp/tls-flood

# flood: on side a, sends an MPA Request over TLS, waits for a line in GO, and sends zeros, which
# are not a valid FPDU
flood()
{
	ON_TIMEOUT=120 on_a bash -c "
		{ printf 'MPA ID Req Frame\x40\x01\x00\x00' && read -r <$GO && cat /dev/zero; } |
			openssl s_client -quiet -max_send_frag 512 -connect $IP_B:$XT_PORT -CAfile $TLS_DIR/ca.pem \
				-cert $TLS_DIR/a.pem -key $TLS_DIR/a.key" >"$OUT/flood.log" 2>&1
}

# flood_up: runs flood() in the background, and lets it send the zeros when the connection is ready
flood_up()
{
	flood &
	xt b wait ep=all state=ready n=1
	echo go >$GO
}

xt_up
tls_up
mkfifo $GO
expect "TLS" on_b xiw config set "$RD_B" tls=require
xt_pair
xt_listen hello=0 rq=4 sq=4

say "the connection ends"
flood_up
xt b wait ep=all state=disconnected n=1 timeout=$((20000 * PATIENCE))
[ "$(counter b rx_crc_errors)" -ge 1 ] || fail "no CRC error"
xt b close ep=all

say "the device is removed"
xt_listen hello=0 rq=4 sq=4
flood_up
ON_TIMEOUT=20 expect "removal" on_b rdma link delete "$RD_B"
tls_down
