# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# iSER survives disturbances of links, devices, target and memory while a disk is written and
# compared. If a disturbance takes longer than replacement_timeout, I/O fails, but the disk works
# again later.
# topology: one pair
# kernels: stable newest
# rnic: soft pci
# timeout: 1200
# group: long
# shellcheck shell=bash

round() { iser_login "$IP_B" && iser_logout "$IP_B"; }
logged_in() { [ "$(cat /sys/class/iscsi_session/*/state)" = LOGGED_IN ]; }
# patience SECONDS: sets replacement_timeout (recovery_tmo) of the session
patience() { echo "$1" >/sys/class/iscsi_session/session*/recovery_tmo; }
portal_again() { on_b iser_enable 0 && on_b iser_enable 1; }
target_again() { device_again b && on_b iser_listen_again "$IP_B"; }

expect "devices" rdma_up "$(xt_type)"
expect "target" on_b iser_up "$IP_B"
expect "login" iser_login "$IP_B"
disk=$(scsi_disk) || fail "no disk"
verified_during "$disk" link_cut 10
verified_during "$disk" portal_again
verified_during "$disk" device_again a
# When the device of the target is removed and returns, isert_np_cma_handler() does not listen
# again. So target_again makes the target listen.
verified_during "$disk" target_again
verified_during "$disk" scarce

say "the link is down for longer than the initiator waits"
expect "patience" patience 5
verifying "$disk"
expect "cut" link_cut 45
unverified 20
wait_for 60 logged_in || fail "no login"
wait_for 20 scsi_disk || fail "the disk stays offline"
expect "the data that stayed" kept "$disk"
verified_during "$disk" true
expect "logout" iser_logout "$IP_B"
expect "$ULP_ROUNDS logins" rounds "$ULP_ROUNDS" round

if [ "$TOPOLOGY" = pair ]; then
	say "the machine of b dies"
	expect "login" iser_login "$IP_B"
	expect "patience" patience 5
	verifying "$(scsi_disk)"
	b_dies
	unverified 60
	expect "the initiator" iser_initiator_down
	ulp_clean a
	exit
fi
expect "the initiator" iser_initiator_down
expect "the target" on_b iser_down
ulp_clean
