# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# xiw ping and xiw selftest run over siw, which supports neither atomics nor immediate data.
# Supported operations work, and the tool reports the other operations as missing.
# topology: one pair
# kernels: all
# rnic: soft
# timeout: 180
# not-debug: lockdep reports siw's own locks, and then it stops checking
# group: long
# shellcheck shell=bash

expect "siw on both sides" rdma_up siw

say "the operations that siw supports"
serve --once
ping_is 0 '' -c 20 -s 5000 --op send,write,read -p $PORT "$IP_B"
server_done
ping_told '["send","write","read"]' '[.ping.operations[].operation]'
ping_told '[20]' '[.ping.operations[].count] | unique'
ping_told '[0]' '[.ping.operations[].wrong] | unique'

say "the same operations, without the option --op"
serve --once
ping_is 0 '' -c 3 -p $PORT "$IP_B"
server_done
ping_told "[\"$RD_A has no atomics\",\"$RD_A has no Write with Immediate\"]" \
	'[.ping.missing[].why]'

say "an operation that siw does not support"
serve --once
ping_is 6 "$RD_A has no atomics" -c 1 --op atomic -p $PORT "$IP_B"
server_done

# Check only some results, because others differ from run to run: under load, Sends, Reads and
# Writes over siw have also failed.
say "the self-test, which detects that siw answers Reads of memory without read access"
selftest_is 1
ping_told '["fail"]' '[.selftest.cases[] | select(.case == "read-access").verdict]'
ping_told '["pass"]' '[.selftest.cases[] | select(.case == "read-stag").verdict]'
ping_told '["for xiw devices only","siwb has no Write with Immediate","siwb has no atomics"]' \
	'[.selftest.cases[] | select(.verdict == "skip").text] | unique'
