# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# rnbd over rtrs survives disturbances. A short loss of the link delays I/O. If the connection ends,
# outstanding I/O fails. Then rtrs reconnects, unless the device of the client was deleted. Data
# that was written before a disturbance is not lost. At the end, the machine of the server dies;
# with only one guest, the link stays down instead. The client can then be unloaded.
# topology: one pair
# kernels: stable newest
# modules: ulps
# rnic: soft pci
# timeout: 900
# group: long
# shellcheck shell=bash

map() { rnbd_map "$IP_B" "$exported" >/tmp/disk && [ "$(</tmp/disk)" = "$disk" ]; }
unmap() { rnbd_unmap force; }

# failed_during COMMAND...: runs COMMAND during I/O, and checks that this I/O fails
failed_during()
{
	verifying "$disk"
	expect "under verification" "$@"
	unverified 60
}

# sound: checks that the disk works and still contains the data that keep() has written
sound()
{
	expect "the data that stayed" kept "$disk"
	expect "the disk" fio_verify "$disk"
}

# reconnected: waits until the disk is back, and checks it. rtrs waits 30 seconds before it
# reconnects.
reconnected()
{
	wait_for 100 rnbd_state_is connected || fail "the path is $(rnbd_state)"
	wait_for 20 rnbd_open || fail "the disk is not mapped again"
	sound
}

# no_pd: succeeds if side b has no PD, which shows that the server has freed its session
no_pd() { [ "$(objects_of b '| .pd')" = 0 ]; }

# connects: unmaps the disk, waits until the server has freed the session, and maps the disk. The
# server refuses a new session as long as an old session has the same name.
connects() { rnbd_unmap && wait_for 20 no_pd && map; }

expect "devices" rdma_up "$(xt_type)"
exported=$(on_b rnbd_up always_invalidate=N) || fail "server: $exported"
disk=$(rnbd_map "$IP_B" "$exported") || fail "map: $disk"
say "== no link for 10 s"
verified_during "$disk" link_cut 10
say "== no link for longer than rtrs waits for a heartbeat"
failed_during link_cut 45
reconnected
say "== the server is stopped and started"
failed_during on_b rnbd_again
reconnected
say "== the client's device is deleted and added"
failed_during device_again a
# rtrs does not reconnect after the removal of the device
rnbd_state_is disconnected || fail "the path is $(rnbd_state)"
expect "unmapped" unmap
expect "mapped" map
sound
say "== the server's device is deleted and added without a client"
# Unmap first. If the client were still connected, the device would be removed before
# rtrs_srv_close_work() has freed the PD.
expect "unmapped" unmap
wait_for 20 no_pd || fail "the server keeps its session"
expect "the server's device" device_again b
expect "mapped" map
sound
say "== memory is scarce"
verified_during "$disk" scarce
expect "$ULP_ROUNDS connects" rounds "$ULP_ROUNDS" connects
expect "the data that stayed" kept "$disk"

say "== the server does not answer until the client is unloaded"
verifying "$disk"
if [ "$TOPOLOGY" = pair ]; then b_dies; else link_gone; fi
unverified 60
expect "the client" rnbd_client_down
if [ "$TOPOLOGY" = pair ]; then
	expect "modules" rnbd_unload
	ulp_clean a
else
	expect "the link" link_back
	expect "the server" on_b rnbd_down
	expect "modules" rnbd_unload
	ulp_clean
fi
