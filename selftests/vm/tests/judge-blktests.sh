# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Runs the tests of blktests for NVMe over Fabrics, over RDMA. The NVMe namespaces of the target are
# files.
# topology: netns
# kernels: all
# group: judges
# disk: programs
# memory: 2048
# timeout: 2400
# shellcheck shell=bash

cp -a /lab/in/blktests /tmp/ || fail "no blktests"
blktests_up blktests
cat >>/tmp/blktests/config <<-END
	NVMET_TRTYPES=rdma
	NVMET_BLKDEV_TYPES=file
	NVME_IMG_SIZE=350M
END
blktests_run nvme 2200 20
