# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Open MPI works on xiw, through libfabric's providers rxm and verbs. Two processes, on one machine
# or on two, print a greeting, pass a message around a ring, and exchange random data.
# topology: one pair
# kernels: all
# disk: programs
# timeout: 600
# shellcheck shell=bash

user_up
export OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi OMPI_MCA_mtl_ofi_provider_include="verbs;ofi_rxm"
# A PCIe RNIC carries only iWARP, so the TCP connections of MPI's startup use another interface.
case $TOPOLOGY in
one)
	where=(--oversubscribe) machines=1
	! rnic_pci || ip rule add pref 7 iif lo ipproto tcp lookup local ;;
pair)
	where=(--host "localhost,$IP_B") machines=2
	! rnic_pci || export PRTE_MCA_prte_if_include=mgmt
	# mpirun starts a daemon on side b by "ssh -x ADDRESS COMMAND". The script below replaces
	# ssh.
	mkdir -p /tmp/overlay
	cat >/tmp/overlay/ssh <<-'END'
		#!/bin/bash
		ON_TIMEOUT=240 exec /run/guest/call on_b bash -c "${*:3}"
	END
	chmod +x /tmp/overlay/ssh
	PATH=/tmp/overlay:$PATH ;;
esac
before=$(($(counter a tx_pkts) + $(counter b tx_pkts)))
run() # ARGUMENT...
{
	within 240 mpirun --allow-run-as-root "${where[@]}" -np 2 python3 -m "$@" \
		>/tmp/mpi.log 2>&1 || fail "$(cat /tmp/mpi.log)"
	cat /tmp/mpi.log
}

say "hello"
run mpi4py.bench helloworld
equal "who says hello" "0 1" \
	"$(sed -n 's/^Hello.* process \([01]\) of 2.*/\1/p' /tmp/mpi.log | sort | xargs)"
equal "machines" $machines "$(sed -n 's/^Hello.* on //p' /tmp/mpi.log | sort -u | wc -l)"
say "a ring"
run mpi4py.bench ringtest -q -l 5 -n 65536
say "random data"
run mpi4py -c '
import os
from mpi4py import MPI
comm = MPI.COMM_WORLD
peer = 1 - comm.rank
for size in 1, 1000, 65537, 1 << 20:
    data = os.urandom(size)
    back = comm.sendrecv(comm.sendrecv(data, peer, source=peer), peer, source=peer)
    assert back == data, f"{size} octets differ"
'
moved=$(($(counter a tx_pkts) + $(counter b tx_pkts) - before))
say "$moved frames"
[ $moved -gt 20 ] || fail "only $moved frames went over xiw"
[ $TOPOLOGY != one ] || ! rnic_pci || ip rule del pref 7
user_clean
