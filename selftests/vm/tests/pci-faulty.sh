# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# An RNIC that misbehaves hurts nobody: whatever it does, nothing hangs, the log says
# once why the device has failed, its work is flushed, and after a reset the function is
# as good as new. The fault is the model's and strikes once:
#
#   lab run --rnic pci --rnic-arg --fault=garbage@200 pci-faulty
#
# XIW_TEST_FATAL=1 says that the device has to fail of it (garbage, flood, stop); without it it
# may go on (delay, doorbell, interrupt).
# topology: one
# kernels: all
# rnic: pci
# group: fault
# timeout: 200
# shellcheck shell=bash

failures() { dmesg | grep -c " $1: device failed: " || :; }

xt_up
xt_pair
xt_open a2 a
seen() { xt a2 devinfo "dev=$1" && [[ ,${XT[events]}, == *",DEVICE_FATAL,"* ]]; }
either() { seen "$RD_A" || seen "$RD_B"; }

say "traffic until it strikes, or for a while"
if xt_try b listen "addr=$IP_B" "port=$XT_PORT" export=m export_len=1088K &&
	xt_try a connect "addr=$IP_B" "port=$XT_PORT"; then
	xt_try a run "ep=${XT[ep]}" op=read buf=m off=4M len=4096 qd=16 ms=20000 timeout=60000 ||
		say "it struck: ${XT[0]}"
fi
if [ "${XIW_TEST_FATAL-}" ]; then
	wait_for 45 either || fail "no device has failed"
fi
for device in "$RD_A" "$RD_B"; do
	[ "$(failures "$device")" -le 1 ] || fail "$device failed more than once"
done

say "all of it can be closed"
for session in a b a2; do
	xt_try $session close ep=all || xt_is errno ENOENT
done
xt_clean a
for session in a b a2; do
	xt_close $session
done
expect "the exerciser" unload xiw_test

say "as good as new"
for function in $(rnic_functions); do
	echo 1 >"/sys/bus/pci/devices/$function/reset"
done
topology_again() { side_up "$DEV_A" "$IP_A" "$IP6_A"; side_up "$DEV_B" "$IP_B" "$IP6_B"; }
expect "addresses" topology_again
wait_for 20 rnic_carriers || fail "no carrier"
xt_up
xt_pair
xt_listen
xt_join
xt a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 count=40 verify=1
xt_part
xt b close ep=all
xt_clean a
