# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Functions for the tests that run a group of blktests. blktests itself creates the RDMA links, one
# over each interface, and removes the driver after each test.
# shellcheck shell=bash

# blktests_up SUITE: like judge_begin, but also provides what /tmp/blktests needs: programs, a
# configuration, and two joined interfaces
blktests_up()
{
	judge_begin "$1"
	judge_modprobe
	# blktests uses a loop device. Most guests have no udev, so the device has no node until
	# the module is loaded. Load the module now.
	modprobe -q loop || :
	expect "configfs" configfs_up
	ip link add blk0 type veth peer name blk1
	ip addr add 192.0.2.1/24 dev blk0
	ip link set blk0 up
	ip link set blk1 up
	cp -a /tmp/blktests/debian/. / || fail "no programs for blktests"
	ln -sf /usr/bin/gawk /usr/bin/awk
	cat >/tmp/blktests/config <<-END
		SOFT_RDMA=$(xt_type)
		QUICK_RUN=1
		TIMEOUT=60
	END
	[ "$(xt_type)" != rxe ] || echo USE_RXE=1 >>/tmp/blktests/config
}

# blktests_run GROUP SECONDS LEAST: runs the tests of GROUP, and records at least LEAST verdicts
blktests_run()
{
	local file status why files
	cd /tmp/blktests || fail "no blktests"
	within "$2" ./check "$1" || :
	mapfile -t files < <(find results -type f -path "*$1/[0-9]*" ! -name '*.*' | sort)
	for file in "${files[@]}"; do
		status=$(awk '$1 == "status" { print $2 }' "$file")
		why=$(awk -F '\t' '$1 == "reason" || $1 == "exit_status" { print $2 }' "$file" | xargs)
		case $status in
		pass) judged "$1/${file##*/}" ok ;;
		fail) judged "$1/${file##*/}" fail "$why" ;;
		*) judged "$1/${file##*/}" skip "$why" ;;
		esac
	done
	cd /
	cp -r /tmp/blktests/results "$OUT/" 2>/dev/null
	ip link del blk0
	judge_end "$3"
}
