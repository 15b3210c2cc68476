# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The kernel's modules iw_cm and rdma_ucm with the patches of docs/upstream, for a kernel of the
# lab.
# shellcheck shell=bash

PATCHED_RECIPE=1	# part of the key: increase it when the recipe changes

# patched_build: sets PATCHED to a folder with iw_cm.ko and rdma_ucm.ko for the K_* kernel, and
# builds them unless the cache has them
patched_build()
{
	PATCHED=$CACHE/patched/$K_RELEASE-$(key "$K_VERSION" "$PATCHED_RECIPE" \
		"$(cat "$TREE"/docs/upstream/*.patch)" ${K_CONFIG:+"$K_CONFIG"})
	entry_whole "$PATCHED" && return
	host_packages patch=patch
	kernel_source core "linux-source-$K_SERIES/drivers/infiniband/core"
	root_kernel
	with_lock "patched-$K_RELEASE" patched_make
}

# patched_make: makes the entry PATCHED, and removes older entries of this kernel
patched_make()
{
	entry_whole "$PATCHED" && return
	step "patched iw_cm for $K_RELEASE" entry_make "$PATCHED" patched_compile
	entries_prune "$CACHE/patched/$K_RELEASE-*" "$PATCHED"
}

# patched_compile NEW: applies the patches to a copy of SOURCE, and compiles the modules into NEW
patched_compile() # NEW
{
	local work=$1.work file core
	rm -rf "$work"
	cp -r "$SOURCE" "$work"
	for file in "$TREE"/docs/upstream/*.patch; do
		patch -d "$work" -p1 -F0 --no-backup-if-mismatch <"$file"
	done
	core=$work/drivers/infiniband/core
	cat >"$core/Makefile" <<-END
	obj-m := iw_cm.o rdma_ucm.o
	iw_cm-y := iwcm.o iwpm_util.o iwpm_msg.o
	rdma_ucm-y := ucma.o
	END
	(cd "$CACHE/tmp" && root_enter "$ROOT" make "${K_MAKE[@]}" -j"$(nproc)" \
		-C "/lib/modules/$K_RELEASE/build" M="$core" W=1 modules)
	mkdir -p "$1"
	for file in iw_cm rdma_ucm; do
		(cd "$CACHE/tmp" && root_enter "$ROOT" strip --strip-debug "$core/$file.ko")
		cp "$core/$file.ko" "$1/"
	done
	rm -rf "$work"
}
