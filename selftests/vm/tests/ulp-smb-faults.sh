# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SMB Direct survives disturbances: links, server and RDMA devices are removed and return, and
# memory gets scarce. No write is lost, and I/O continues. At the end, the machine of the server
# dies; with only one guest, the link stays down instead. An administrator can then end the client.
# XIW_TEST_TYPE: the driver (default xiw), for instance siw.
# topology: one pair
# kernels: stable newest
# modules: ulps
# rnic: soft pci
# timeout: 900
# group: long
# shellcheck shell=bash

FILE=$SMB_MNT/file
# cifs reconnects when the server has been silent for three echo intervals, which is 12 seconds
# here.
OPTIONS=hard,echo_interval=4
connects() { smb_umount && smb_mount "$IP_B" $OPTIONS; }

expect "devices" rdma_up "$(xt_type)"
expect "server" on_b smb_up
expect "mount" smb_mount "$IP_B" $OPTIONS
say "== no link for 10 s"
verified_during $FILE link_cut 10
say "== no link for longer than cifs waits"
verified_during $FILE link_cut 30
say "== the server is stopped and started"
verified_during $FILE on_b smb_again
say "== the client's device is deleted and added"
verified_during $FILE device_again a
say "== the server's device is deleted and added"
verified_during $FILE device_again b
say "== memory is scarce"
verified_during $FILE scarce
expect "$ULP_ROUNDS connects" rounds "$ULP_ROUNDS" connects
expect "the data that stayed" kept $FILE

say "== the server does not answer, and the client is ended by force"
verifying $FILE
if [ "$TOPOLOGY" = pair ]; then b_dies; else link_gone; fi
wait_for 60 smb_shown DISCONNECTED || { cat $SMB_DEBUG; fail "the client does not notice"; }
pkill -KILL -x fio
unverified 60
expect "the client, by force" smb_abandon
if [ "$TOPOLOGY" = pair ]; then
	ulp_clean a
else
	expect "the link" link_back
	expect "the server" on_b smb_down
	ulp_clean
fi
