# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SRP survives disturbances of links, devices, target and memory while a disk is written and
# compared. If the link is down for longer than dev_loss_tmo, or if the device of the initiator is
# removed, ib_srp removes the disk until a new login.
# topology: one pair
# kernels: stable newest
# rnic: soft pci
# timeout: 1200
# group: long
# shellcheck shell=bash

# login FAST LOSS: logs in. If the connection is lost, I/O fails after FAST seconds, and the disk is
# removed after LOSS seconds
login() { srp_login "$RD_A" "$IP_B" "$id" && srp_patience "$1" "$2"; }
round() { srp_login "$RD_A" "$IP_B" "$id" && srp_logout; }
# ten_rounds: logs in and out ten times, and disables and enables the target. Until the target is
# disabled, srpt_rdma_cm_handler() keeps each session that the initiator has ended, and 18 MiB of
# memory for it
ten_rounds() { rounds 10 round && port_again && wait_for 30 freed; }
# freed: succeeds if the target has freed the sessions that it closed. For each connection,
# srpt_release_channel_work() deregisters 2048 MRs, and a login registers as many. If both run at
# the same time on a busy host, the login may take longer than startup-time
freed() { [ "$(on_b rdma -j resource show "$RD_B" | jq '.[].mr')" = 0 ]; }
port_again() { on_b srp_enable "$RD_B" 0 && on_b srp_enable "$RD_B" 1; }
target_again() { device_again b && on_b srp_target_again "$RD_B" "$(srp_guid "$RD_A")"; }

expect "devices" rdma_up "$(xt_type)"
expect "target" on_b srp_up "$RD_B" "$(srp_guid "$RD_A")"
id=$(on_b srp_id) || fail "no name: $id"
expect "login" login 300 600
disk=$(scsi_disk) || fail "no disk"
verified_during "$disk" link_cut 10
verified_during "$disk" port_again
# When the device returns, srpt_enable_tpg() does not enable the new port, and the portal group
# stays with the removed port. So target_again sets up the target again.
verified_during "$disk" target_again
verified_during "$disk" scarce

say "the device of the initiator is removed"
verifying "$disk"
expect "removed" device_again a
unverified 60
wait_for 60 scsi_no_disk || fail "the disk stays"
expect "login" login 300 600
expect "the data that stayed" kept "$(scsi_disk)"

say "the link is down for longer than the initiator waits"
expect "logout" srp_logout
expect "login" login 5 20
verifying "$(scsi_disk)"
expect "cut" link_cut 120
unverified 20
wait_for 60 scsi_no_disk || fail "the disk stays"
expect "login" login 300 600
expect "the data that stayed" kept "$(scsi_disk)"
verified_during "$(scsi_disk)" true
expect "logout" srp_logout
expect "$ULP_ROUNDS logins" rounds $((ULP_ROUNDS / 10)) ten_rounds

# The machine of the target does not die here, because ib_srp may not survive that (docs/ulps.md).
expect "the initiator" srp_initiator_down
expect "the target" on_b srp_down
ulp_clean
