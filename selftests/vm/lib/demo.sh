# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# lab prepare and lab demo. Each runs several steps, some of them in parallel.
# shellcheck shell=bash

# together CMD...: runs the functions CMD in parallel, without arguments. If one of them fails, the
# lab exits 1.
together()
{
	local pid pids=() rc=0 part
	for part in "$@"; do
		"$part" &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || rc=1
	done
	[ "$rc" -eq 0 ] || exit 1
}

# prepare_host: installs on the host the programs that the lab needs
prepare_host()
{
	host_packages column=bsdextrautils mmdebstrap=mmdebstrap "$KEYRING=debian-archive-keyring" \
		mke2fs=e2fsprogs cpio=cpio depmod=kmod xz=xz-utils
	kernels_list >/dev/null
}

prepare_newqemu() { root newqemu; }

# prepare_kernel NAME: makes the build root for the kernel NAME. If guests can run the kernel, also
# makes its image and siw.
prepare_kernel()
{
	kernel "$1"
	root_kernel
	if [ "$K_USE" = run ]; then
		kernel_image
		siw_build siw
	fi
}

prepare()
{
	local role
	prepare_host
	together guest_disk root_check qemu_root prepare_newqemu
	while read -r -u 4 role _; do
		prepare_kernel "$role"
	done 4< <(kernels_list)
	kernels_list | column -t
}

demo_guest()
{
	guest_disk
	qemu_root "$DEMO_RNIC"
	kernel stable
	kernel_image
	[ "$(accel_choose)" != tcg ] || tsc_khz >/dev/null
}

demo_modules() { step "modules" modules_build stable; }

demo_tool()
{
	root build
	root_tool
	step "the tool" root_enter "$ROOT" selftests/cmake utils build/guest/utils
	# Later test runs use this build of the tool, and some tests need the provider.
	[ -e build/guest/utils/libxiwdv.so ] || die "the tool was built without its provider"
}

# demo [RNIC]: builds the modules and the tool, and runs the test "demo" in two guests. RNIC is soft
# (the default) or pci.
demo() # [RNIC]
{
	DEMO_RNIC=${1-soft}
	cd "$TREE" || exit
	prepare_host
	together demo_guest demo_modules demo_tool
	run_tests -k stable --rnic "$DEMO_RNIC" --pair --show demo || { say "demo: failed"; return 1; }
	say "demo: ok"
}
