# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# aer_inject injects PCIe errors under traffic. A correctable error and an uncorrectable error that
# is not fatal do not affect the traffic. A fatal error resets the link: the device is removed and
# added again.
# topology: one
# kernels: all
# rnic: pci
# timeout: 240
# shellcheck shell=bash

UNCOR_COMPLETION_TIMEOUT=0x4000	# not fatal
UNCOR_DATA_LINK=0x10		# fatal
COR_RECEIVER=0x1

# octets_of WORD...: prints 32-bit words as little-endian octets, in the format of printf
octets_of()
{
	local word
	for word in "$@"; do
		printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((word & 255)) $((word >> 8 & 255)) \
			$((word >> 16 & 255)) $((word >> 24 & 255))
	done
}

# inject UNCORRECTABLE CORRECTABLE: injects errors into FUNCTION by struct aer_error_inj. The
# arguments are bits of the AER status registers
inject()
{
	local bus=$((16#${FUNCTION:5:2})) slot=$((16#${FUNCTION:8:2})) fn=${FUNCTION:11:1}
	# shellcheck disable=SC2059
	printf "$(octets_of $((bus | slot << 8 | fn << 16)) "$1" "$2" 0 1 2 3 0)" >/tmp/error
	dd if=/tmp/error of=/dev/aer_inject bs=32 count=1 status=none
}

function_up
expect "aer_inject" modprobe aer_inject
reports() { log_since "test pci-errors" | grep -c "$1"; }
# reported N TEXT: succeeds if the log has N lines with TEXT
reported() { [ "$(reports "$2")" -eq "$1" ]; }
RECOVERED='device recovery successful'

# unmoved WHAT CMD...: checks that CMD does not affect Writes; WHAT is the name of the case
unmoved()
{
	say "$1"
	xt_listen
	xt_join
	xt_start a run "ep=$EP_A" op=write buf=m off=4M len=20011 qd=8 verify=1 "${XT_ENDLESS[@]}"
	wait_for 20 moving || fail "nothing moves"
	expect "$@"
	xt_halt
	xt_ends a '^status=ok'
	xt_part
	xt b close ep=all
}
correctable() { inject 0 $COR_RECEIVER && wait_for 20 reported 1 'severity=Correct'; }
unmoved "correctable" correctable
not_fatal() { inject $UNCOR_COMPLETION_TIMEOUT 0 && wait_for 60 reported 1 "$RECOVERED"; }
unmoved "not fatal: the function can still be reached" not_fatal
fatal() { inject $UNCOR_DATA_LINK 0 && wait_for 60 reported 2 "$RECOVERED"; }
under_traffic "fatal: the link is reset" fatal
works
