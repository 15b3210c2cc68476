# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs perftest, as Debian ships it: all programs for verbs, in many modes. The programs connect by
# rdma_cm and by QP number.
# topology: one
# kernels: all
# group: judges
# disk: programs
# timeout: 900
# shellcheck shell=bash

judge_up perftest
[ "$(xt_type)" != xiw ] || configure connect-by-number=on
# With rdma_cm, a client crashes if it connects before its server listens (see the test
# user-perftest). Do not let the kernel log the crash.
sysctl -qw debug.exception-trace=0 2>/dev/null || :
REFUSED='RDMA_CM_EVENT_REJECTED; error: -111'
INDEX_A=$(gid_index "$RD_A" "$IP_A")
INDEX_B=$(gid_index "$RD_B" "$IP_B")

# bout CASE PROGRAM OPTION...: runs PROGRAM twice: first it connects by rdma_cm, then by QP number.
# Records the verdicts as "CASE, rdma_cm" and "CASE, number"
bout()
{
	local port tries
	for tries in 1 2 3; do
		port=$((USER_PORT++))
		judge_try "listening $port" "${*:2} -R -F -d $RD_B -p $port" \
			"${*:2} -R -F -d $RD_A -p $port $IP_B"
		[ "$WHY" ] && grep -q "$REFUSED" /tmp/judge.log || break
		say "$1: the server was late, try $tries"
	done
	judge_tried "$1, rdma_cm"
	port=$((USER_PORT++))
	judge_pair "$1, number" "tcp_listening $port" "${*:2} -x $INDEX_B -F -d $RD_B -p $port" \
		"${*:2} -x $INDEX_A -F -d $RD_A -p $port 127.0.0.1"
}

for verb in send write read; do
	for kind in bw lat; do
		program=ib_${verb}_$kind
		bout "$program" "$program" -n 200 -s 4096
		bout "$program, all sizes" "$program" -n 5 -a
		[ "$verb" = write ] || bout "$program, events" "$program" -n 100 -s 64 -e
	done
	program=ib_${verb}_bw
	bout "$program, both directions" "$program" -n 200 -s 4096 -b
	bout "$program, 8 QPs" "$program" -n 100 -s 4096 -q 8
	bout "$program, lists of 8" "$program" -n 200 -s 4096 -l 8
	[ "$verb" = read ] || bout "$program, no inline data" "$program" -n 200 -s 64 -I 0
done
for program in ib_send_bw ib_send_lat; do
	bout "$program, SRQ" $program --use-srq -n 200 -s 1024
	bout "$program, UC" $program -c UC -n 200 -s 1024
	bout "$program, UD" $program -c UD -n 200 -s 1024
done
for program in ib_write_bw ib_write_lat; do
	bout "$program, UC" $program -c UC -n 200 -s 1024
	bout "$program, immediates" $program --write_with_imm -n 200 -s 4096
done
for program in ib_atomic_bw ib_atomic_lat; do
	bout "$program, FetchAdd" $program -A FETCH_AND_ADD -n 200
	bout "$program, CmpSwap" $program -A CMP_AND_SWAP -n 200
done
judge_end 60
