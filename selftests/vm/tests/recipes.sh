# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Each recipe of utils/bpftrace counts and prints the events of a known load.
# topology: netns one
# kernels: all
# rnic: soft
# disk: programs
# not-uml: bpftrace needs BPF and perf events, which arch/um does not have
# timeout: 300
# shellcheck shell=bash

RECIPES=(atomics batches fpdus lives terminates)
equal "recipes" "${RECIPES[*]}" "$(cd /lab/in/bpftrace && basename -as .bt ./*.bt | xargs)"
xt_up
xt_pair

# bpftrace starts the program /tmp/held when its probes are attached, and ends when this program
# ends.
cat >/tmp/held <<-'END'
	#!/bin/bash
	touch "/tmp/$1.attached"
	read -r <"/tmp/$1.ends"
END

# recipe_start NAME: starts the recipe NAME, and returns when its probes are attached
recipe_start()
{
	rm -f "/tmp/$1".*
	mkfifo "/tmp/$1.ends"
	"/lab/in/bpftrace/$1.bt" -c "/usr/bin/bash /tmp/held $1" >"/tmp/$1.out" 2>&1 &
	wait_for 120 test -e "/tmp/$1.attached" || fail "$1: $(<"/tmp/$1.out")"
}

# recipe_end NAME: ends the recipe NAME, and prints its output
recipe_end()
{
	echo >"/tmp/$1.ends"
	wait_for 30 recipe_ended "$1" || fail "$1 does not end"
	cat "/tmp/$1.out"
}
recipe_ended() { ! pgrep -f "bpftrace/$1.bt" >/dev/null; }

# says NAME PATTERN: checks that a line of the output of the recipe NAME matches PATTERN
says() { grep -Eq -- "$2" "/tmp/$1.out" || fail "$1 does not say '$2'"; }

for recipe in "${RECIPES[@]}"; do
	recipe_start "$recipe"
done

say "connections, Writes, Reads, atomics, and an end by Terminate"
xt_listen
xt_join
QPN=$(told a '.connections[] | select(.role == "initiator") | .qpn' conn "$RD_A")
QPN_B=$(told b '.connections[] | select(.role == "responder") | .qpn' conn "$RD_B")
for n in 1 2 3; do
	xt_wc SUCCESS a wr op=write buf=m len=1000
	xt_wc SUCCESS a wr op=read buf=m len=1000
done
for n in 1 2 3 4 5; do
	xt_wc SUCCESS a wr op=fetchadd add=1
done
xt_wc SUCCESS a wr op=cmpswp cmp=5 swap=9
xt_spoil op=write buf=m len=100 rkey=0x77777700 raddr=0

for recipe in "${RECIPES[@]}"; do
	recipe_end "$recipe"
done

# The five RDMA Writes are the three Writes of the load, the refused Write, and the RTR, which is a
# Write of length 0.
says fpdus '^@fpdus\[RDMA Write\]: 5$'
says fpdus '^@fpdus\[RDMA Read Request\]: 3$'
says fpdus '^@fpdus\[RDMA Read Response\]: 3$'
says fpdus '^@fpdus\[Atomic Request\]: 6$'
says fpdus '^@fpdus\[Atomic Response\]: 6$'
says fpdus '^@fpdus\[Terminate\]: 1$'
says fpdus '^@ulpdu_octets\[untagged\]:'
! grep -q '@name' /tmp/fpdus.out || fail "the map @name is printed"
says batches "^@fpdus\[$QPN\]:"
says batches "^@octets\[$QPN\]: count [1-9][0-9]*, average [1-9]"
says batches "^@mss\[$QPN\]: [1-9]"
says terminates "^[0-9:]{8}  $QPN_B  *sent  *1/1/0x00$"
says terminates "^[0-9:]{8}  $QPN  *received  *1/1/0x00$"
says lives "^[0-9:]{8}  $QPN  *[0-9]+$"
says lives "^[0-9:]{8}  $QPN_B  *[0-9]+$"
says lives '^@ms:'
says atomics '^@atomics\[FetchAdd\]: 5$'
says atomics '^@atomics\[CmpSwap\]: 1$'
says atomics '^@busiest\[[0-9]+, -?[0-9]+\]: 6$'
! grep -q '@failed' /tmp/atomics.out || fail "an atomic failed"

xiw_clean
