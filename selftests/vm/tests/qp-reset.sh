# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A reset of a QP frees the entries of the peer's requests while other threads close and query this
# QP. The kernel "debug" detects each use of freed memory. A reset of a QP without a connection
# drops its receives.
# topology: one
# kernels: all
# timeout: 120
# shellcheck shell=bash

user_up
expect "resets beside closes" on_a xiw-verbs "$IP_A" "$IP_B" reset-beside-close reset-unconnected
user_clean
