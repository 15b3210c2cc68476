# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Build kernel modules from a copy of the sources, in the root that the kernel needs.
# shellcheck shell=bash

SOURCES=(driver uapi selftests/kmod VERSION)

# Variants of the driver that are not shipped, and the flag of each (driver/Kbuild). A variant is
# built when a test loads it.
declare -A VARIANT_FLAGS=([inject]=XIW_INJECT=1 [uncounted]=XIW_UNCOUNTED=1
	[unrecorded]=XIW_UNRECORDED=1 [unbatched]=XIW_UNBATCHED=1)

# modules_build KERNEL [VAR=VALUE...]: builds the modules into build/kernel/RELEASE
modules_build()
{
	kernel "$1"
	root_kernel
	# W= needs kernel-doc (perl or python), and C= needs sparse.
	case " ${*:2}" in *' C='[12]* | *' W='*) root_check "$K_ROOT" ;; esac
	mkdir -p "$TREE/build/kernel"
	with_lock "build-$(key "$TREE" "$K_RELEASE")" modules_make "${@:2}"
}

modules_make()
{
	local out=$TREE/build/kernel/$K_RELEASE dir
	local extra=("$@")
	sources_copy "$out"
	for dir in driver selftests/kmod; do
		[ -e "$out/$dir/Kbuild" ] || [ -e "$out/$dir/Makefile" ] || continue
		if [ "$dir" != driver ] && [ -e "$out/driver/Module.symvers" ]; then
			extra+=(KBUILD_EXTRA_SYMBOLS=/srv/driver/Module.symvers)
		fi
		kbuild "$out" "$dir" "${extra[@]}" || {
			# Do not use an older module by mistake.
			rm -f "$out"/{driver,selftests/kmod}/*.ko
			die "$dir does not build for $K_RELEASE"
		}
	done
}

# kbuild OUT DIR [VAR=VALUE...]: builds the modules of OUT/DIR for the K_* kernel. In the build
# root, OUT is mounted at /srv. The results of the driver's compile probes are kept for other clones
# of the tree; driver/compat/probe.sh checks whether they are valid.
kbuild()
{
	local compiler=DEBIAN_KERNEL_USE_CCACHE=1	# for the makefiles of Debian's headers
	local known=$CACHE/probed/$K_RELEASE config=$1/$2/compat/config.h
	[ -z "$K_KIND" ] || compiler="CC=ccache gcc"
	if [ -d "${config%/*}" ] && [ ! -e "$config" ] && [ -e "$known" ]; then
		cp "$known" "$config"
	fi
	LAB_MODULES=$1 root_enter "$ROOT" make "${K_MAKE[@]}" "$compiler" \
		-C "/lib/modules/$K_RELEASE/build" M="/srv/$2" -j"$(nproc)" \
		--no-print-directory "${@:3}" modules || return
	if [ -e "$config" ] && ! cmp -s "$config" "$known"; then
		mkdir -p "${known%/*}"
		cp "$config" "$known.$$"
		mv "$known.$$" "$known"
	fi
}

# modules_variant NAME [VAR=VALUE...]: builds the driver of the K_* kernel with the flag of that
# variant, into NAME/, next to the driver without flags
modules_variant()
{
	local flag=${VARIANT_FLAGS[$1]} out=$TREE/build/kernel/$K_RELEASE/$1
	local SOURCES=(driver uapi VERSION)
	root_kernel
	sources_copy "$out"
	# Do not use an older module by mistake.
	rm -f "$out/driver"/*.ko
	step "the driver with $flag" kbuild "$out" driver "${@:2}" "$flag"
}

# sources_copy DIR: copies changed files and removes deleted ones; files that make wrote stay. A line
# of DIR/.sources is the path of a file, its time and its size.
sources_copy()
{
	local out=$1 list file
	mkdir -p "$out"
	list=$(cd "$TREE" && for file in "${SOURCES[@]}"; do
		[ ! -e "$file" ] || find "$file" -type f ! -name '.*' \
			! -name '*.o' ! -name '*.ko' ! -name '*.mod' ! -name '*.mod.c' \
			! -name Module.symvers ! -name modules.order -printf '%p\t%T@\t%s\n'
	done | LC_ALL=C sort)
	[ -n "$list" ] || die "no driver/ in $TREE yet"
	touch "$out/.sources"
	while IFS=$'\t' read -r file _; do
		[ -e "$TREE/$file" ] || rm -f "$out/$file"
	done < <(LC_ALL=C comm -13 - "$out/.sources" <<<"$list")
	while IFS=$'\t' read -r file _; do
		[ -e "$out/$file" ] && cmp -s "$TREE/$file" "$out/$file" || echo "$file"
	done < <(LC_ALL=C comm -23 - "$out/.sources" <<<"$list") |
		tar -C "$TREE" -c -T - | tar -C "$out" -x -m
	echo "$list" >"$out/.sources"
}

# utils_install: sets INSTALLED to a folder with the files that build/guest/utils installs, in the
# layout of packages
utils_install()
{
	INSTALLED=$TREE/build/installed
	[ -e "$TREE/build/guest/utils/xiw" ] ||
		die "no tool (lab in check selftests/cmake utils build/guest/utils)"
	rm -rf "$INSTALLED"
	root_tool
	step "the tool's files" root_enter "$ROOT" env "DESTDIR=$INSTALLED" \
		cmake --install "$TREE/build/guest/utils" --prefix /usr --strip
}
