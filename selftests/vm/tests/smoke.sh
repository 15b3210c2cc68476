# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The prerequisites of all other tests are met: the sides reach each other, on_b runs commands and
# functions, and the kernel modules exist.
# topology: netns one pair
# kernels: all
# rnic: soft
# timeout: 60
# shellcheck shell=bash

expect "IPv4 from a" on_a ping -c 1 -W $((2 * PATIENCE)) "$IP_B"
expect "IPv4 from b" on_b ping -c 1 -W $((2 * PATIENCE)) "$IP_A"
expect "IPv6 from a" on_a ping -c 1 -W $((2 * PATIENCE)) "$IP6_B"
expect "IPv6 from b" on_b ping -c 1 -W $((2 * PATIENCE)) "$IP6_A"
link_mtu 9000
expect "large frames" on_a ping -c 1 -W $((2 * PATIENCE)) -s 8900 -M "do" "$IP_B"

rc=0
on_b bash -c 'exit 3' || rc=$?
equal "status comes back" 3 "$rc"
equal "output comes back" "one
two" "$(on_b printf 'one\ntwo\n')"
equal "a function runs there" "fail: here" "$(on_b fail here)"

for module in ib_core iw_cm rdma_cm ib_uverbs nvme_rdma nvmet_rdma null_blk; do
	expect "$module" have_module "$module"
done

# The packets of the pings cross the link, and do not stay inside one host.
received() { on_b ip -j -s link show "$DEV_B" | jq '.[0].stats64.rx.packets'; }
before=$(received)
expect "ten pings" on_a ping -q -c 10 -i 0.01 "$IP_B"
arrived() { [ $(($(received) - before)) -ge 10 ]; }
wait_for 10 arrived || fail "$(($(received) - before)) frames arrived for ten pings"
