# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# For each message, counts how often the kernel stores to cache lines that several CPUs write, and
# how many atomic instructions the kernel executes. Each CPU has a connection. The messages of a
# connection are posted on its CPU, and both ends use the completion vector of this CPU. The counts
# include both ends. Run it by `lab run --sharing --cpus N sharing`.
# XIW_TEST_TYPES: xiw (default) or siw. XIW_TEST_OPS: the operations and sizes.
# topology: one
# kernels: stable newest
# rnic: soft
# cpus: 2
# memory: 2048
# timeout: 1800
# group: sharing
# not-uml: QEMU counts the stores
# after: sharing
# shellcheck shell=bash

XIW_TEST_TYPE=${XIW_TEST_TYPES:-xiw}
read -r -a WORK <<<"${XIW_TEST_OPS:-write:64 send:64 read:64 write:65536}"
CPUS=$(nproc)

# join N: connects the sessions aN and bN, for CPU N
join()
{
	local side keys=(sq=64 rq=32 export=m export_len=1M sink=16 sink_len=1M sink_off=2M
		sink_shared=1 "vector=$1")
	for side in a b; do
		xt_open "$side$1" $side
		xt "$side$1" buf name=m size=4M
	done
	xt "b$1" listen "addr=$IP_B" port=$((8000 + $1)) "${keys[@]}"
	xt "a$1" connect "addr=$IP_B" port=$((8000 + $1)) nudge=1000 "${keys[@]}"
	xt "b$1" wait ep=all state=ready n=1
}

# softirqs: prints how many NET_RX softirqs each CPU has executed, one CPU on each line
softirqs() { awk '$1 == "NET_RX:" { for (i = 2; i <= NF; i++) print $i }' /proc/softirqs; }

# work OP OCTETS: runs OP with messages of OCTETS on all connections concurrently, and counts for a
# second. Fails for xiw if a CPU has executed less than a tenth of its share of the softirqs. Does
# not check this for siw, which sends in its own threads.
work()
{
	local n
	for ((n = 0; n < CPUS; n++)); do
		taskset -cp $n $$ >/dev/null
		xt_start "a$n" run ep=all "op=$1" buf=m off=2M "len=$2" qd=4 shared=1 \
			"${XT_ENDLESS[@]}"
	done
	nap 2
	softirqs >/tmp/softirqs
	xiw-second
	softirqs | paste /tmp/softirqs - | awk '
		{ did[NR] = $2 - $1; all += did[NR]; printf "%d ", did[NR] }
		END {
			print "softirqs, by CPU"
			for (n in did)
				if (did[n] * 10 * NR < all)
					exit 1
		}' || [ "$XIW_TEST_TYPE" != xiw ] || fail "the CPUs do not share the work"
	xt_halt
	for ((n = 0; n < CPUS; n++)); do
		xt_ends "a$n" '^status=ok'
	done
}

xt_up
link_mtu 1500
for ((n = 0; n < CPUS; n++)); do
	join "$n"
done
for what in "${WORK[@]}"; do
	work "${what%:*}" "${what#*:}"
	profiled - "${what/:/-}-$CPUS-cpus"
done
for ((n = 0; n < CPUS; n++)); do
	xt_close "a$n"
	xt_close "b$n"
done
unload xiw_test
rdma_down
unload "$(rdma_module "$XIW_TEST_TYPE")"
