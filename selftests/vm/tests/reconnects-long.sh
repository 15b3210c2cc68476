# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs reconnects.sh with 200 connections.
# topology: one
# kernels: all
# rnic: soft
# timeout: 900
# group: long
# shellcheck shell=bash

RECONNECTS=200
# shellcheck source=selftests/vm/tests/reconnects.sh
. /lab/in/tests/reconnects.sh
