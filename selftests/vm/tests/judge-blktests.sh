# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the tests of blktests for NVMe over Fabrics, over RDMA. The NVMe namespaces of the target are
# files. blktests itself creates the RDMA links, one over each interface, and removes the driver
# after each test.
# topology: netns
# kernels: all
# group: judges
# disk: programs
# memory: 2048
# timeout: 2400
# shellcheck shell=bash

judge_begin blktests
judge_modprobe
# blktests uses a loop device. The guest has no udev, so the device has no node until the module is
# loaded. Load the module now.
modprobe -q loop || :
expect "configfs" configfs_up
ip link add blk0 type veth peer name blk1
ip addr add 192.0.2.1/24 dev blk0
ip link set blk0 up
ip link set blk1 up
cp -a /lab/in/blktests/debian/. / || fail "no programs for blktests"
ln -sf /usr/bin/gawk /usr/bin/awk
cp -r /lab/in/blktests /tmp/blktests
cd /tmp/blktests || fail "no blktests"
cat >config <<-END
	NVMET_TRTYPES=rdma
	NVMET_BLKDEV_TYPES=file
	SOFT_RDMA=$(xt_type)
	QUICK_RUN=1
	TIMEOUT=60
	NVME_IMG_SIZE=350M
END
[ "$(xt_type)" != rxe ] || echo USE_RXE=1 >>config
within 2200 ./check nvme || :
results=$(find results -type d -name nvme | head -n 1)
[ "$results" ] || fail "no results"
mapfile -t files < <(find results -type f -path '*nvme/[0-9]*' ! -name '*.*' | sort)
for file in "${files[@]}"; do
	status=$(awk '$1 == "status" { print $2 }' "$file")
	why=$(awk -F '\t' '$1 == "reason" || $1 == "exit_status" { print $2 }' "$file" | xargs)
	case $status in
	pass) judged "nvme/${file##*/}" ok ;;
	fail) judged "nvme/${file##*/}" fail "$why" ;;
	*) judged "nvme/${file##*/}" skip "$why" ;;
	esac
done
cd /
cp -r /tmp/blktests/results "$OUT/" 2>/dev/null
ip link del blk0
judge_end 20
