# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# 0005: an unprivileged user connects and accepts with QPs of root. The user passes only the numbers
# of these QPs. The kernel refuses both calls.
# XIW_TEST_TYPE: siw, or another iWARP driver.
# topology: one
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

user_provider
expect "devices" rdma_up "${XIW_TEST_TYPE:-siw}"
chmod a+rw /dev/infiniband/*
xiw-verbs "$IP_A" "$IP_B" hold idle >/tmp/hold.log 2>&1 &
holding() { grep -q '^holding$' /tmp/hold.log; }
wait_for 30 holding || fail "$(cat /tmp/hold.log)"
read -r _ qp_a qp_b < <(grep '^qps ' /tmp/hold.log)
taking() # NAME OF A USER
{
	setpriv "--reuid=$1" --clear-groups --inh-caps=-all --bounding-set=-all \
		bash -c "ulimit -l 4096; exec xiw-verbs $IP_A $IP_B take $qp_a $qp_b" | tee /tmp/take.log
}
taking nobody
equal "refused" 2 "$(grep -c ': Operation not permitted$' /tmp/take.log)"
say "the same user, another process"
taking root
equal "granted" 2 "$(grep -c ': granted$' /tmp/take.log)"
