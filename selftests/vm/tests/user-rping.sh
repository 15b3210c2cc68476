# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Debian's own programs of libibverbs and librdmacm run on xiw.
# topology: one netns pair
# kernels: all
# timeout: 240
# shellcheck shell=bash

user_up

say "what libibverbs tells"
expect "the device is found" on_a ibv_devices
info=$(on_a ibv_devinfo -v -d "$RD_A") || fail "ibv_devinfo: status $?"
say "$info"
for line in 'transport:.*iWARP' 'state:.*PORT_ACTIVE' 'atomic_cap:.*ATOMIC_(GLOB|HCA)' \
	'completion timestamp_mask:.*0xffffffffffffffff' 'hca_core_clock:.*1000000kHZ' \
	'GID\[  0\]:'; do
	grep -qE "$line" <<<"$info" || fail "ibv_devinfo: no line '$line'"
done

for ADDRESS in "$IP_B" "$IP6_B"; do
	say "rping to $ADDRESS"
	user_pair "rounds" "rping -s -a @ADDRESS -p @PORT -C 20 -S 1000 -v" \
		"rping -c -a @ADDRESS -p @PORT -C 20 -S 1000 -V"
	equal "rounds at the server" 20 "$(grep -c 'server ping data' "$SERVER_LOG")"
done
ADDRESS=$IP_B

say "ucmatose, rdma_client, rstream"
user_pair "ucmatose" "ucmatose -b @ADDRESS -p @PORT -c 4 -C 20 -S 4096" \
	"ucmatose -s @ADDRESS -p @PORT -c 4 -C 20 -S 4096"
user_pair "rdma_client" "rdma_server -p @PORT" "rdma_client -s @ADDRESS -p @PORT"
user_pair "rstream" "rstream -b @ADDRESS -p @PORT -I 10 -C 10 -S 16384" \
	"rstream -s @ADDRESS -p @PORT -I 10 -C 10 -S 16384"
user_clean
