# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Every operation of user space, and requests that must be refused (selftests/user). A process
# registers only memory that it can access itself (mr-refused) [R-SEC-018] [S-LOC-004]; it has no
# STag for all memory (refused-keys: the local DMA lkey) [S-LOC-005]; completion queues and mappings
# belong to one context (stranger-cq, stranger-mappings) [R-SEC-011] [S-LOC-001] [S-LOC-006]; the
# kernel determines the length of a completion queue (refused-creations, cq-resize) [S-REM-015]
# [R-SEC-019]; the kernel checks what a process writes into its queues and commands [R-SEC-015];
# processes do not trust each other [R-SEC-017]. A memory window belongs to one QP and has bounds of
# its own (window-of-one-qp, window-bounds), and only QPs of its PD can invalidate it
# (window-of-one-pd) [R-GEN-016] [R-SEC-003] [R-SND-013] [R-SND-015]
# [R-ERR-013] [R-ERR-015] [S-REM-003] [D-HDR-015] [D-SEC-002] [D-SEC-004] [D-SEC-007] [I-INV-008]
# [I-INV-009]; all QPs may use a memory region, and no peer can invalidate it (region-of-many-qps)
# [I-INV-004]; the address of an atomic must be aligned, wherever the window begins
# (window-atomics-off-word) [X-ATOM-034]; an Immediate has eight octets at both ends (immediate-64)
# [X-IMM-003] [X-IMM-005] [X-HDR-032]; the whole message is placed, whatever the pages of its memory
# are (send, write, read, mr-scattered) [D-XFER-004] [R-GEN-011] [I-MSG-002]; a request with a fence
# waits for earlier Reads (fence) [I-ORD-004] [R-ORD-014]; a solicited Send wakes the CQ that waits
# for one (cq-events) [I-SE-001]; a message may have no octets (the same tests; user-longest tests
# the upper limit) [I-MSG-001]; the original value of an atomic is an integer of the host in a
# region of the process (atomics, atomics-masked) [X-ATOM-050] [I-ATOM-008]; a peer invalidates a
# window, and the completion says which one (window-taken-back) [R-GEN-012] [R-SND-014].
# topology: one
# kernels: all
# timeout: 240
# shellcheck shell=bash

user_up
rc=0 but=()
# The peer in these cases is a socket of the host, which cannot reach a PCIe RNIC.
! rnic_pci || but=(but accept-twice accept-and-reject disconnect-connecting destroy-connecting
	reply-to-nobody)
ON_TIMEOUT=200 on_a xiw-verbs "$IP_A" "$IP_B" "${but[@]}" >"/tmp/verbs.log" 2>&1 || rc=$?
cat /tmp/verbs.log
[ "$rc" -ne 1 ] || fail "$(grep '^fail ' /tmp/verbs.log | tr '\n' ';')"
equal "status of xiw-verbs" 0 "$rc"
say "Send with Immediate, switched on"
configure send-with-immediate=on
on_a xiw-verbs "$IP_A" "$IP_B" experiment >/tmp/verbs.log 2>&1 || rc=$?
cat /tmp/verbs.log
equal "status of xiw-verbs, experiment" 0 "$rc"
configure send-with-immediate=off
# Debian's 6.1 creates no dma-buf; on the other kernels that case must succeed.
[ ! -e /dev/udmabuf ] || ! grep -q '^note mr-dmabuf' /tmp/verbs.log || fail "no DMA buffer"
case $(uname -r) in
6.1.*) ;;
*) [ -e /dev/udmabuf ] || fail "no /dev/udmabuf" ;;
esac
user_clean
