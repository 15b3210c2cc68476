# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# ULPs that Debian's kernel lacks, for a kernel of the lab. packaging/ulps/build builds them; users
# can run this script, too.
# shellcheck shell=bash

ULPS_SCRIPT=$TREE/packaging/ulps/build	# the cache key includes the contents of this script

# ulps_in_kernel: succeeds if the K_* kernel has these ULPs. Only kernels that compiled.sh compiles
# may have them.
ulps_in_kernel()
{
	[ "$K_KIND" ] && grep -qx CONFIG_CIFS_SMB_DIRECT=y "$COMPILED/headers/include/config/auto.conf"
}

# ulps_build: builds the ULPs for the K_* kernel, unless the cache has them. Sets ULPS to a folder
# with cifs.ko, ksmbd.ko, rtrs-*.ko, rnbd-*.ko and, if the kernel has it, smbdirect.ko.
ulps_build()
{
	local members
	ULPS=$CACHE/ulps/$K_RELEASE-$(key "$K_VERSION" "$(cat "$ULPS_SCRIPT")" \
		${K_CONFIG:+"$K_CONFIG"})
	entry_whole "$ULPS" && return
	mapfile -t members < <("$ULPS_SCRIPT" -m)
	kernel_source ulps "${members[@]/#/linux-source-$K_SERIES/}"
	root_kernel
	with_lock "ulps-$K_RELEASE" ulps_make
}

# ulps_make: makes the entry ULPS, and removes older entries of this kernel
ulps_make()
{
	entry_whole "$ULPS" && return
	step "ULPs for $K_RELEASE" entry_make "$ULPS" ulps_compile
	entries_prune "$CACHE/ulps/$K_RELEASE-*" "$ULPS"
}

# ulps_compile: compiles the ULPs from SOURCE into the folder NEW
ulps_compile() # NEW
{
	# root_enter makes only the current folder visible, so copy the source into the current
	# folder
	cp -r "$SOURCE" "$1.source"
	(cd "$CACHE/tmp" && root_enter "$ROOT" "$ULPS_SCRIPT" -k "$K_RELEASE" -s "$1.source" \
		-o "$1" "${K_MAKE[@]}")
	rm -rf "$1.source"
}
