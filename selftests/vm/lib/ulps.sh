# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# ULPs that Debian's kernel lacks, for a kernel of the lab. Users can also run the script that
# builds them.
# shellcheck shell=bash

ULPS_SCRIPT=$TREE/packaging/ulps/build	# the contents of the script are part of the key

# ulps_in_kernel: succeeds if the kernel has these ULPs. Only kernels that compiled.sh compiles may
# have them.
ulps_in_kernel()
{
	[ "$K_KIND" ] && grep -qx CONFIG_CIFS_SMB_DIRECT=y "$COMPILED/headers/include/config/auto.conf"
}

# ulps_build: sets ULPS to a folder with cifs.ko, ksmbd.ko, rtrs-*.ko, rnbd-*.ko, and smbdirect.ko
# if the kernel has it
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

ulps_make()
{
	entry_whole "$ULPS" && return
	step "ULPs for $K_RELEASE" entry_make "$ULPS" ulps_compile
	entries_prune "$CACHE/ulps/$K_RELEASE-*" "$ULPS"
}

ulps_compile() # NEW
{
	# root_enter makes only the current folder visible, so copy the source into it
	cp -r "$SOURCE" "$1.source"
	(cd "$CACHE/tmp" && root_enter "$ROOT" "$ULPS_SCRIPT" -k "$K_RELEASE" -s "$1.source" \
		-o "$1" "${K_MAKE[@]}")
	rm -rf "$1.source"
}
