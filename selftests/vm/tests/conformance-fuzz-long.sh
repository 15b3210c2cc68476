# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs random sessions like those of the test conformance-fuzz for XIW_TEST_FUZZ_SECONDS seconds
# (default 300). Each run has new sessions, unless XIW_TEST_FUZZ_BASE sets the number of the first
# session.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 600
# group: long
# shellcheck shell=bash

xt_up
peer_fuzz "${XIW_TEST_FUZZ_BASE-$((EPOCHSECONDS * 1000000))}" "${XIW_TEST_FUZZ_SECONDS-300}"
