# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs fabtests, libfabric's own tests: the quick set of its runner, with the providers verbs and
# verbs;ofi_rxm. fabtests is compiled from Debian's source, and libfabric is Debian's. A test that
# upstream excludes for a provider has no verdict. Many tests fill 1 GiB in each of two processes.
# topology: one
# kernels: all
# group: judges
# disk: programs
# timeout: 1800
# memory: 4096
# shellcheck shell=bash

judge_up fabtests
# A server fills its buffer before it accepts, so allow more time for connection setup.
[ "$(xt_type)" != xiw ] || configure startup-time=30s
mkdir -p /tmp/overlay
cp -r /lab/in/fabtests /tmp/fabtests
# The runner starts servers and clients by ssh. The script below replaces ssh, and starts them as
# processes of this guest. They end when the runner kills their parent, timeout(1). fi_cq_test opens
# as many as 32768 CQs, and User-Mode Linux needs quadratic time to remove their mappings. So the
# script limits the memory of fi_cq_test, which also passes with fewer CQs.
cat >/tmp/overlay/ssh <<-'END'
	#!/bin/bash
	case ${*: -1} in *fi_cq_test*) ulimit -v 524288 ;; esac
	exec setpriv --pdeathsig KILL bash -c "exec ${*: -1}"
END
# After the start of a server, the runner sleeps for one second. The script below replaces sleep,
# and returns as soon as the server listens, by rdma_cm or by TCP.
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
# Exclude fi_multi_ep, because it fills 1 GiB for each of six endpoints.
echo fi_multi_ep | tee -a test_configs/{verbs/verbs,ofi_rxm/ofi_rxm}.exclude >/dev/null

# fabtests PROVIDER: runs the quick set with PROVIDER, and records the verdicts
fabtests()
{
	local name result why
	PATH=/tmp/overlay:$PATH within 600 bash scripts/runfabtests.sh -vv -T $((40 * PATIENCE)) \
		-t quick -p /tmp/fabtests/bin "$1" "$IP_B" "$IP_A" | tee /tmp/fabtests.log || :
	# For each test, the log has the name, the result, and the output if the test did not pass.
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
