# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# SRP survives faults while a disk is written and compared. If the link is down for longer than
# dev_loss_tmo, or the initiator's device is removed, ib_srp removes the disk until a new login.
# topology: one pair
# kernels: stable newest
# rnic: soft
# timeout: 1200
# group: long
# shellcheck shell=bash

login() { srp_login "$RD_A" "$IP_B" "$id" && srp_patience "$1" "$2"; }
round() { srp_login "$RD_A" "$IP_B" "$id" && srp_logout; }
port_again() { on_b srp_enable "$RD_B" 0 && on_b srp_enable "$RD_B" 1; }
target_again() { device_again b && on_b srp_enable "$RD_B" 1; }

expect "devices" rdma_up "$(xt_type)"
expect "target" on_b srp_up "$RD_B" "$(srp_guid "$RD_A")"
id=$(on_b srp_id) || fail "no name: $id"
expect "login" login 300 600
disk=$(scsi_disk) || fail "no disk"
verified_during "$disk" link_cut 10
verified_during "$disk" port_again
# srpt forgets that the port was enabled when its device is removed
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
expect "100 logins" rounds 100 round

if [ "$TOPOLOGY" = pair ]; then
	say "the machine of b dies"
	expect "login" login 5 20
	verifying "$(scsi_disk)"
	b_dies
	unverified 120
	expect "the initiator" srp_initiator_down
	ulp_clean a
	exit
fi
expect "the initiator" srp_initiator_down
expect "the target" on_b srp_down
ulp_clean
