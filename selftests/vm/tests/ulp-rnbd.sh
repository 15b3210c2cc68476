# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# rnbd over rtrs works: the test writes a disk in mixed sizes and depths, copies a tree of files to
# it, compares the data, and unloads all modules. With xiw, a second run uses the defaults of rtrs,
# with which the server sends Sends with Immediate. So for this run, the setting send-with-immediate
# is on at both ends.
# topology: one pair
# kernels: stable newest
# modules: ulps
# rnic: soft pci
# timeout: 240
# shellcheck shell=bash

map() { rnbd_map "$IP_B" "$exported" >/tmp/disk; }
again() { disk_umount && rnbd_unmap && map && disk_mount "$(</tmp/disk)"; }

# run [PARAMETER=VALUE...]: starts a server with these parameters of rtrs, uses its disk, and
# unloads the modules
run()
{
	local exported disk side
	exported=$(on_b rnbd_up "$@") || fail "server: $exported"
	expect "mapped" map
	disk=$(</tmp/disk)
	rnbd_state_is connected || fail "the path is $(rnbd_state)"
	[ "$(xt_type)" != xiw ] ||
		told_is a true '[.connections[] | select(.role == "initiator")] | length > 1' \
			conn "$RD_A"
	disk_verified "$disk" again
	expect "the client" rnbd_client_down
	expect "the server" on_b rnbd_down
	for side in a b; do
		expect "modules of $side" on_$side rnbd_unload
	done
}

# received: prints how many Sends with Immediate the device of the client has received
received()
{
	told a '.counters[0].operations[] | select(.operation == "Send with Immediate").received' \
		stat "$RD_A" --all
}

expect "devices" rdma_up "$(xt_type)"
run always_invalidate=N
if [ "$(xt_type)" = xiw ]; then
	equal "Sends with Immediate without them" 0 "$(received)"
	say "the defaults of rtrs"
	configure send-with-immediate=on
	run
	[ "$(received)" -gt 0 ] || fail "no Send with Immediate"
fi
ulp_clean
