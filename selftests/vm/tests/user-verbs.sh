# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Tests every operation from user space, and requests that must be refused (selftests/user).
# A process registers only memory that it can access itself (mr-refused) [R-SEC-018] [S-LOC-004]. It
# has no STag for all memory (refused-keys: the local DMA lkey) [S-LOC-005]. Completion queues and
# mappings belong to one context (stranger-cq, stranger-mappings) [R-SEC-011] [S-LOC-001]
# [S-LOC-006]. The kernel determines the length of a completion queue (refused-creations, cq-resize)
# [S-REM-015] [R-SEC-019]. The kernel checks what a process writes into its queues and commands
# [R-SEC-015]. Processes do not trust each other [R-SEC-017].
# A memory window belongs to one QP and has its own bounds (window-of-one-qp, window-bounds). Only
# QPs of its PD can invalidate it (window-of-one-pd) [R-GEN-016] [R-SEC-003] [R-SND-013] [R-SND-015]
# [R-ERR-013] [R-ERR-015] [S-REM-003] [D-HDR-015] [D-SEC-002] [D-SEC-004] [D-SEC-007] [I-INV-008]
# [I-INV-009]. When a peer invalidates a window, the completion reports which window it was
# (window-taken-back) [R-GEN-012] [R-SND-014]. A memory region belongs to all QPs of its PD, so no
# peer can invalidate the region (region-of-many-qps) [I-INV-004].
# The address of an atomic must be aligned, wherever the window begins (window-atomics-off-word)
# [X-ATOM-034]. The original value of an atomic is an integer in host order in a region of the
# process (atomics, atomics-masked) [X-ATOM-050] [I-ATOM-008]. An Immediate has eight octets at both
# ends (immediate-64) [X-IMM-003] [X-IMM-005] [X-HDR-032].
# The whole message is placed, even if its buffer consists of scattered pages (send, write, read,
# mr-scattered) [D-XFER-004] [R-GEN-011] [I-MSG-002]. These tests also send messages without octets;
# the test user-longest tests the maximum length [I-MSG-001]. A request with a fence waits for
# earlier Reads (fence) [I-ORD-004] [R-ORD-014]. A solicited Send causes an event of a CQ that is
# armed for solicited completions (cq-events) [I-SE-001].
# topology: one
# kernels: all
# timeout: 240
# shellcheck shell=bash

user_up
rc=0 but=()
# Omit the cases whose peer is an ordinary TCP socket: the guest's TCP cannot send to a PCIe RNIC.
! rnic_pci || but=(but accept-twice accept-and-reject disconnect-connecting destroy-connecting
	reply-to-nobody)
ON_TIMEOUT=200 on_a xiw-verbs "$IP_A" "$IP_B" "${but[@]}" >"/tmp/verbs.log" 2>&1 || rc=$?
cat /tmp/verbs.log
[ "$rc" -ne 1 ] || fail "$(grep '^fail ' /tmp/verbs.log | tr '\n' ';')"
equal "status of xiw-verbs" 0 "$rc"
# Debian's kernel 6.1 cannot create a dma-buf from user space. On other kernels, the case mr-dmabuf
# must succeed.
[ ! -e /dev/udmabuf ] || ! grep -q '^note mr-dmabuf' /tmp/verbs.log || fail "no DMA buffer"
case $(uname -r) in
6.1.*) ;;
*) [ -e /dev/udmabuf ] || fail "no /dev/udmabuf" ;;
esac
say "Send with Immediate, switched on"
configure send-with-immediate=on
on_a xiw-verbs "$IP_A" "$IP_B" experiment >/tmp/verbs.log 2>&1 || rc=$?
cat /tmp/verbs.log
equal "status of xiw-verbs, experiment" 0 "$rc"
configure send-with-immediate=off
say "Messages that arrive together, without a wait for receives"
configure park-time=1ms
on_a xiw-verbs "$IP_A" "$IP_B" bursts >/tmp/verbs.log 2>&1 || rc=$?
cat /tmp/verbs.log
equal "status of xiw-verbs, bursts" 0 "$rc"
configure park-time=5s
user_clean
