# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The commands of docs/ulps.md, and those of docs/install.md for NVMe-oF, work on Debian 13 as they
# are written, except that typed() replaces the address, the disk and apt-get. The test types these
# commands on a server with systemd, which is guest b, and on a client, which is guest a. When a ULP
# is set up, the test writes data over this ULP, and compares the data.
# topology: pair
# kernels: stable
# disk: systemd
# modules: ulps
# memory: 2048
# timeout: 900
# shellcheck shell=bash

typed_begin
# systemd has loaded Debian's ksmbd at the boot of b. As docs/ulps.md says, unload this module.
expect "Debian's ksmbd" on_b modprobe -r ksmbd
typed_nvme
typed_nfs

say "SMB Direct"
typed b ulps.md "SMB Direct" "On the server"
wait_for 20 on_b smb_listens || fail "ksmbd does not listen"
typed a ulps.md "SMB Direct" "On the client"
grep -E 'SMBDirect' $SMB_DEBUG || fail "not over RDMA"
expect "a file" file_verified /mnt
expect "unmount" umount /mnt
expect "server" on_b systemctl stop ksmbd

typed_iser
typed_srp

say "rnbd"
typed b ulps.md "rnbd over rtrs" "On the server"
wait_for 20 on_b listening $RNBD_PORT || fail "rnbd-server does not listen"
typed a ulps.md "rnbd over rtrs" "On the client"
disk_typed rnbd_disk
expect "client" rnbd_client_down
expect "server" on_b rnbd_down
