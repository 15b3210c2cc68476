# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Captures storage traffic, and the operations of xt_every_op(). Afterwards, Wireshark checks the
# captures on the host. [R-STR-001]
# topology: one
# kernels: stable newest
# rnic: soft
# timeout: 300
# after: wire
# shellcheck shell=bash

expect "xiw on both sides" rdma_up xiw
expect "the exerciser" load xiw_test
tcp_calm

capture storage.pcap tcp port 4420
expect "target" on_b nvmet_up rdma "$IP_B"
disk=$(on_a nvme_up rdma "$IP_B") || fail "connect: $disk"
expect "data" on_a fio_verify "$disk" --size=1m
expect "host gone" on_a nvme_down
captured
expect "target gone" on_b nvmet_down

capture verbs.pcap tcp port "$XT_PORT"
xt_pair
xt_listen
xt_join
xt_every_op 100000
xt_part
xt_close a
xt_close b
captured
