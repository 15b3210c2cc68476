# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The commands that the test ulp-typed types also work on Debian 12, for the ULPs of its kernel.
# topology: pair
# kernels: oldest
# disk: systemd12
# memory: 2048
# timeout: 900
# shellcheck shell=bash

typed_begin
typed_nvme
typed_nfs
typed_iser
typed_srp
