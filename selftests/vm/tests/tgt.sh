# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# tgt, an iSER target in user space, works on xiw. Its clients are the kernel's initiator, which
# writes and compares data, and libiscsi, which reads the same disk in user space.
# topology: one
# kernels: all
# disk: programs
# memory: 2048
# timeout: 300
# shellcheck shell=bash

ISER_IQN=iqn.2026-01.lab:tgt
LIBISCSI=iqn.2026-01.lab:libiscsi
KERNEL=$(sed -n 's/^InitiatorName=//p' /etc/iscsi/initiatorname.iscsi)
STORE=/tmp/store URL=iser://$IP_B/$ISER_IQN/1

admin() { on_b tgtadm --lld iser "$@"; }
target_up()
{
	local name
	admin --op new --mode target --tid 1 --targetname $ISER_IQN &&
		admin --op new --mode logicalunit --tid 1 --lun 1 --backing-store $STORE &&
		admin --op bind --mode target --tid 1 --initiator-address ALL || return
	for name in "$KERNEL" $LIBISCSI; do
		admin --op bind --mode target --tid 1 --initiator-name "$name" || return
	done
}

user_up
[ "$KERNEL" ] || fail "no InitiatorName"
on_b truncate -s 64M $STORE
ON_TIMEOUT=250 server_up 3260 tgtd -f --iscsi portal=127.0.0.1:3261 --iser pool_sz_mb=128
expect "the target" target_up
before=$(counter a tx_pkts)

say "the kernel's initiator"
expect "login" iser_login "$IP_B"
disk=$(scsi_disk) || fail "no disk"
expect "data" fio_mixed "$disk"
expect "logout" iser_logout "$IP_B"
expect "the initiator" iser_initiator_down

say "libiscsi"
# tgt refuses a command of more than 512 KiB, so iscsi-md5sum, which reads 1 MiB at once, cannot
# read the disk.
expect "inquiry" on_a iscsi-inq -i $LIBISCSI "$URL"
expect "reads" on_a iscsi-perf -i $LIBISCSI -m 8 -b 128 -t 2 "$URL"
[ $(($(counter a tx_pkts) - before)) -gt 100 ] || fail "that was not over $RD_A"

server_stop
ulp_clean
