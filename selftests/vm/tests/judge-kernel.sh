# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the kernel's selftests for soft RDMA (tools/testing/selftests/rdma), which are written for
# rxe. For another driver, this script replaces the names of the module and of the link type in the
# selftests. It also replaces the program ss, so a check that RoCE's UDP port is open becomes a
# check that a link exists.
# topology: one
# kernels: newest
# group: judges
# disk: programs
# timeout: 400
# shellcheck shell=bash

judge_begin kernel
judge_modprobe
TESTS=/tmp/kselftests/tools/testing/selftests
cp -r /lab/in/kselftests /tmp/kselftests
if [ "$(xt_type)" != rxe ]; then
	sed -i "s/rdma_rxe/$(rdma_module "$(xt_type)")/g; s/type rxe/type $(xt_type)/g" $TESTS/rdma/*.sh
	mkdir -p /tmp/overlay
	cat >/tmp/overlay/ss <<-'END'
		#!/bin/sh
		rdma link | grep -q . && echo ":4791"
	END
	chmod +x /tmp/overlay/ss
	PATH=/tmp/overlay:$PATH
fi
JUDGE_SKIP=4	# KSFT_SKIP
cd $TESTS/rdma || fail "no selftests"
for script in rxe_*.sh; do
	judge "${script%.sh}" 100 bash "./$script"
done
cd /
judge_end 6
