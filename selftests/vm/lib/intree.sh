# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The driver in a kernel tree (packaging/kernel).
# shellcheck shell=bash

# intree_key: prints a hash of all files of this tree from which a kernel with the driver is built
intree_key()
{
	(cd "$TREE" && find Kconfig VERSION driver uapi packaging/kernel packaging/patches.py \
		selftests/kmod -type f ! -name '*.pyc' -print0 |
		LC_ALL=C sort -z | xargs -0 sha256sum) | sha256sum
}

# intree_put: puts the driver into the kernel source in the current folder. The root ROOT must
# contain Python.
intree_put()
{
	root_enter "$ROOT" "$TREE/packaging/kernel/tree.py" intree .
}

# series_check: makes patches in build/series that apply to the newest kernel, and compiles the
# driver after each patch
series_check()
{
	local name
	kernel newest
	name=linux-source-$K_SERIES
	kernel_source intree "$name/Makefile" "$name/MAINTAINERS" "$name/drivers/infiniband/Kconfig" \
		"$name/drivers/infiniband/sw/Makefile" "$name/Documentation/infiniband/index.rst"
	root_kernel
	root_check "$K_ROOT"
	cd "$SOURCE" || return	# root_enter makes the current folder visible
	root_enter "$ROOT" "$TREE/packaging/kernel/tree.py" series "$SOURCE" "$TREE/build/series"
	root_enter "$ROOT" "$TREE/packaging/kernel/check-series" "/lib/modules/$K_RELEASE/build" \
		"$TREE/build/series"
}
