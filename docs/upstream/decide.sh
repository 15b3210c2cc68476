# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# 0004: an unprivileged program accepts or rejects an id that is connecting, and then disconnects or
# destroys the id (decide.c). XIW_TEST_TYPE: siw, or another iWARP driver. XIW_TEST_WORDS: the
# operations of decide.
# topology: one
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPE:-siw}
[ "$XIW_TEST_TYPE" != xiw ] || user_provider
expect "devices" rdma_up "$XIW_TEST_TYPE"
chmod a+rw /dev/infiniband/*
# shellcheck disable=SC2086
expect "decide" setpriv --reuid=nobody --clear-groups --inh-caps=-all --bounding-set=-all \
	xiw-decide "$IP_B" ${XIW_TEST_WORDS:-reject disconnect}
