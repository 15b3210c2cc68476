# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# A peer sends the frames of the test vectors (wire.tsv) to the kernel over an ordinary TCP socket.
# Each response must equal the response in the vectors, octet for octet. The test also checks
# memory, completions and QP states, and the data of a busy connection of the same device.
# topology: one
# kernels: all
# rnic: soft pci
# timeout: 300
# shellcheck shell=bash

xt_up
for file in startup accepted refused terminated; do
	peer_run $file || failed+=" $file"
done
equal "scenarios with failures" "" "${failed-}"

say "a vector fails if one octet of its response is changed"
awk -F'\t' -v OFS='\t' '$1 == "N-DV-01" { sub(/c000001e/, "c000001f", $7) } 1' \
	"$PEER_VECTORS" >/tmp/other.tsv
refuse "the same file, but one octet" cmp -s "$PEER_VECTORS" /tmp/other.tsv
PEER_VECTORS=/tmp/other.tsv PEER_RESULTS=/dev/null
refuse "the other answer" peer_run refused --only N-DV-01
expect "any other row" peer_run refused --only N-DV-02

say "a header with another version is malformed, and is not counted as a refused access"
MALFORMED=$(counter b rx_malformed) ACCESS=$(counter b resp_remote_access_errors)
expect "a tagged segment with another version" peer_run refused --only middle-of-a-write-version
equal "malformed headers" $((MALFORMED + 1)) "$(counter b rx_malformed)"
equal "refused accesses" "$ACCESS" "$(counter b resp_remote_access_errors)"
