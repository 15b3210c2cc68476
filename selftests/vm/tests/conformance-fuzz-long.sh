# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Like conformance-fuzz, for XIW_TEST_FUZZ_SECONDS (default 300), with new sessions or with those
# from XIW_TEST_FUZZ_BASE.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 600
# group: long
# shellcheck shell=bash

xt_up
peer_fuzz "${XIW_TEST_FUZZ_BASE-$((EPOCHSECONDS * 1000000))}" "${XIW_TEST_FUZZ_SECONDS-300}"
