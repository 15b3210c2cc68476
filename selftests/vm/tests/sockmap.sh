# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A BPF program of the host may put an accepted socket into a map before the RNIC gets the socket.
# The map then owns sk_user_data. The RNIC does not use this data, and resets the connection. When
# the program is gone, connections work again.
# topology: one
# kernels: all
# not-uml: arch/um has no BPF
# rnic: soft
# timeout: 60
# shellcheck shell=bash

xt_up
xt_pair
xt_listen
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup /sys/fs/cgroup
coproc SOCKMAP { exec /run/guest/sockmap /sys/fs/cgroup 2>&1; }
map=$SOCKMAP_PID
read -r -t $((20 * PATIENCE)) -u "${SOCKMAP[0]}" line
equal "sockmap" attached "$line"
for ((i = 0; i < 20; i++)); do
	! xt_try a connect "addr=$IP_B" "port=$XT_PORT" || fail "connected with a socket of a map"
	equal "error of the connect" ECONNRESET "${XT[errno]}"
done
eval "exec ${SOCKMAP[1]}>&-"
wait "$map" || fail "sockmap: status $?"
xt_join
xt_part
xt b close ep=all
