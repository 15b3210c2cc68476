# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The 9p file system, over which guests access the lab's files. Debian's cloud kernels lack it, so
# the lab builds the modules from Debian's source of the same kernel.
# shellcheck shell=bash

NINEP_DIRS=(net/9p fs/9p)	# in this order, because fs/9p uses symbols of net/9p

# ninep_needed: succeeds if the K_* kernel lacks 9p
ninep_needed() { [ "$K_FLAVOUR" = cloud ]; }

# ninep_install DIR: builds the modules of 9p for the K_* kernel, and puts them into the new folder
# DIR
ninep_install()
{
	local ROOT SOURCE dir work=$1.work symbols=()
	kernel_source ninep "${NINEP_DIRS[@]/#/linux-source-$K_SERIES/}"
	root_kernel
	cp -r "$SOURCE" "$work"
	for dir in "${NINEP_DIRS[@]}"; do
		# root_enter makes the current folder visible in the root
		(cd "$work" && root_enter "$ROOT" make "${K_MAKE[@]}" -j"$(nproc)" \
			-C "/lib/modules/$K_RELEASE/build" "M=$work/$dir" "${symbols[@]}" \
			CONFIG_NET_9P=m CONFIG_NET_9P_VIRTIO=m CONFIG_9P_FS=m modules)
		symbols=("KBUILD_EXTRA_SYMBOLS=$work/$dir/Module.symvers")
	done
	mkdir "$1"
	cp "$work"/*/9p/*.ko "$1"
	rm -r "$work"
}
