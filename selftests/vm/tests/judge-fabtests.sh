# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# libfabric's own tests by libfabric's own runner, compiled from Debian's source, with Debian's
# libfabric: the runner's quick set on the providers verbs and verbs;ofi_rxm. The tests that
# upstream excludes for a provider have no verdict. Many tests fill 1 GiB for each of two processes.
# topology: one
# kernels: all
# group: judges
# disk: programs
# timeout: 1800
# memory: 4096
# shellcheck shell=bash

judge_up fabtests
# A server accepts after it has filled its buffer.
[ "$(xt_type)" != xiw ] || configure startup-time=30s
mkdir -p /tmp/overlay
cp -r /lab/in/fabtests /tmp/fabtests
# The runner starts servers and clients by ssh. Here, they are processes of this guest, which end
# when the runner kills timeout(1), their parent. fi_cq_test opens 32768 CQs if there is room, whose
# mappings User-Mode Linux removes in quadratic time; the test passes if memory ends earlier.
cat >/tmp/overlay/ssh <<-'END'
	#!/bin/bash
	case ${*: -1} in *fi_cq_test*) ulimit -v 524288 ;; esac
	exec setpriv --pdeathsig KILL bash -c "exec ${*: -1}"
END
# The runner gives a server one second to listen, by rdma_cm or by TCP for other arrangements.
cat >/tmp/overlay/sleep <<-END
	#!/bin/bash
	[ "\$1" = 1 ] || exec /bin/sleep "\$1"
	for ((i = 0; i < $((20 * PATIENCE)); i++)); do
		rdma resource show cm_id | grep -q 'state LISTEN' && exit
		ss -Hltnp | grep -q '"fi_' && exit
		[ "\$i" -lt 10 ] || pgrep '^fi_' >/dev/null || exit
		/bin/sleep 0.1
	done
END
chmod +x /tmp/overlay/*
cd /tmp/fabtests || fail "no fabtests"
# Left out, because it fills 1 GiB for each of six endpoints.
echo fi_multi_ep | tee -a test_configs/{verbs/verbs,ofi_rxm/ofi_rxm}.exclude >/dev/null

# fabtests PROVIDER: runs the set, and records the verdicts
fabtests()
{
	local name result why
	PATH=/tmp/overlay:$PATH within 600 bash scripts/runfabtests.sh -vv -T $((40 * PATIENCE)) \
		-t quick -p /tmp/fabtests/bin "$1" "$IP_B" "$IP_A" | tee /tmp/fabtests.log || :
	# The log has a list of entries with name, result, and the output of tests that did not pass.
	awk '
		function entry() { if (name) printf "%s\t%s\t%s\n", name, result, why }
		/^- name: / { entry(); name = $0; why = ""; sub(/^- name: +/, "", name)
			sub(/ -p "[^"]*"$/, "", name) }
		/^  result: / { result = $2 }
		/^    .*[a-z]/ { why = $0; sub(/^ +/, "", why) }
		END { entry() }' /tmp/fabtests.log >/tmp/fabtests.tsv
	while IFS=$'\t' read -r name result why; do
		name=${name//$IP_B/SERVER}
		case $result in
		Pass) judged "$1: $name" ok ;;
		Notrun) judged "$1: $name" skip "$why" ;;
		Excluded) ;;
		*) judged "$1: $name" fail "$why" ;;
		esac
	done </tmp/fabtests.tsv
}
fabtests verbs
fabtests 'verbs;ofi_rxm'
judge_end 60
