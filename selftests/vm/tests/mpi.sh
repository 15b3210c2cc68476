# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Open MPI works on xiw, through libfabric's providers rxm and verbs. Two processes print a
# greeting, and pass a message around a ring.
# topology: one
# kernels: all
# disk: programs
# timeout: 600
# shellcheck shell=bash

user_up
export OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi OMPI_MCA_mtl_ofi_provider_include="verbs;ofi_rxm"
# A PCIe RNIC carries only iWARP, so the TCP connections of MPI's startup use the loopback
# interface.
! rnic_pci || ip rule add pref 7 iif lo ipproto tcp lookup local
before=$(($(counter a tx_pkts) + $(counter b tx_pkts)))
run() # MPI4PY-BENCH ARGUMENT...
{
	within 240 mpirun --allow-run-as-root --oversubscribe -np 2 \
		python3 -m mpi4py.bench "$@" >/tmp/mpi.log 2>&1 || fail "$(cat /tmp/mpi.log)"
	cat /tmp/mpi.log
}

say "hello"
run helloworld
equal "who says hello" "0 1" \
	"$(sed -n 's/^Hello.* process \([01]\) of 2.*/\1/p' /tmp/mpi.log | sort | xargs)"
say "a ring"
run ringtest -q -l 5 -n 65536
moved=$(($(counter a tx_pkts) + $(counter b tx_pkts) - before))
[ $moved -gt 20 ] || fail "only $moved frames went over xiw"
! rnic_pci || ip rule del pref 7
user_clean
