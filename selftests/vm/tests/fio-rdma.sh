# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# fio's engine rdma, as Debian ships it, moves data by RDMA Write, RDMA Read and Send between two
# processes. fio does not compare the data, so the test compares the numbers of octets.
# topology: one
# kernels: all
# disk: programs
# timeout: 200
# shellcheck shell=bash

user_up
OCTETS=$((16 << 20))
STATUS=/tmp/fio-rdma.json

JOB=(fio --ioengine=rdma --bs=64k "--size=$OCTETS" --iodepth=16 --output-format=json)

# transfer VERB: runs a server on side b, and a client on side a that moves OCTETS octets by VERB.
# fio requires rw=write for the client of each verb.
transfer()
{
	local port=$((USER_PORT++))
	server_up $port "${JOB[@]}" --name=server --port=$port --rw=read
	expect "$1" beside_server on_a "${JOB[@]}" --name=client \
		--hostname="$IP_B" --port=$port --verb="$1" --rw=write --output=$STATUS
	server_done
	equal "$1: errors of the client" 0 "$(jq '.jobs[0].error' $STATUS)"
	equal "$1: octets of the client" $OCTETS "$(jq '.jobs[0].write.io_bytes' $STATUS)"
}

for verb in write read send; do
	before=$(counter a tx_bytes) from=$(counter b tx_bytes)
	transfer $verb
	# For Read, side b sends the octets, so check the octets that side b has sent.
	sent=$(($(counter a tx_bytes) - before)) came=$(($(counter b tx_bytes) - from))
	say "$verb: $sent octets sent, $came received"
	[ $verb != read ] || sent=$came
	[ "$sent" -ge $OCTETS ] || fail "$verb: only $sent octets were sent by the device"
done
user_clean
