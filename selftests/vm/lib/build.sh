# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Build kernel modules from a copy of the sources, in the root that the kernel needs.
# shellcheck shell=bash

SOURCES=(driver uapi selftests/kmod VERSION)

MODULES_MAX=20	# builds in the cache; a build with debug information takes 70 MB

# Variants of the driver that are not shipped, each with the variable of make that builds it
# (driver/Kbuild, driver/compat/external.mk). The lab builds a variant when a test needs it.
declare -A VARIANT_FLAGS=([inject]=XIW_INJECT=1 [uncounted]=XIW_UNCOUNTED=1
	[unrecorded]=XIW_UNRECORDED=1 [unbatched]=XIW_UNBATCHED=1)

# modules_build KERNEL [VAR=VALUE...]: builds the modules for KERNEL into build/kernel/RELEASE.
# VAR=VALUE: variables of make
modules_build()
{
	kernel "$1"
	root_kernel
	# W= needs kernel-doc (perl or python), and C= needs sparse.
	case " ${*:2}" in *' C='[12]* | *' W='*) root_check "$K_ROOT" ;; esac
	mkdir -p "$TREE/build/kernel"
	with_lock "build-$(key "$TREE" "$K_RELEASE")" \
		modules_make "$TREE/build/kernel/$K_RELEASE" "${@:2}"
}

# modules_make OUT [VAR=VALUE...]: builds the modules of SOURCES into OUT, or takes them from the
# cache. Prints the output of the build. The cache keeps this output, too, because it contains the
# warnings.
modules_make()
{
	local out=$1 name rc=0
	mkdir -p "$CACHE/modules"
	sources_copy "$out"
	name=$(modules_key "$@")
	with_lock modules modules_cached "$out" "$name"
	if [ -e "$out/.cached" ]; then
		cat "$out/log"
		return
	fi
	modules_compile "$@" 2>&1 | tee "$out/log" || rc=$?
	# If there are warnings, remove the objects, so that the next build compiles all files and
	# prints the warnings again.
	! grep -qE '(warning|WARNING):' "$out/log" || find "$out" -name '*.o' -delete
	if [ "$rc" -ne 0 ]; then
		tail -n 20 "$out/log" >&2
		return "$rc"
	fi
	with_lock modules modules_keep "$CACHE/modules/$name" "$out"
}

# modules_cached OUT NAME: if the cache has an entry NAME, copies the modules from this entry to
# OUT, and writes the name of the entry to OUT/.cached. Otherwise, removes the modules that an
# earlier call has copied to OUT. These modules are newer than the objects, so make would not link
# them again.
modules_cached()
{
	local out=$1 kept
	# A build without sparse may also use the modules of a build with sparse.
	for kept in "$CACHE/modules/$2" "$CACHE/modules/$2"-*; do
		entry_whole "$kept" || continue
		touch -c "$kept"
		# If OUT already has these modules, do not copy them again, because another run may
		# be reading them.
		[ "$(cat "$out/.cached" 2>/dev/null)" != "${kept##*/}" ] || return 0
		cp -r --remove-destination "$kept/." "$out"
		echo "${kept##*/}" >"$out/.cached"
		return
	done
	[ ! -e "$out/.cached" ] || rm -f "$out/.cached" "$out"/{driver,selftests/kmod}/*.ko
}

# modules_key OUT [VAR=VALUE...]: prints the name of the cache's entry for the modules. The name is
# a hash of everything on which the modules depend. For a build with sparse, a hash of the arguments
# of sparse follows.
modules_key()
{
	local argument sources sparse=() arguments=()
	for argument in "${@:2}"; do
		case $argument in
		C=* | CF=*) sparse+=("$argument") ;;
		*) arguments+=("$argument") ;;
		esac
	done
	sources=$(cd "$1" && cut -f1 .sources | xargs -d '\n' sha256sum)
	key "$K_RELEASE" "$K_VERSION" "$K_CONFIG" "${ROOT##*/}" "${arguments[@]}" "$sources" |
		tr -d '\n'
	[ ${#sparse[@]} -eq 0 ] || printf -- '-%s' "$(key "${sparse[@]}")"
}

# modules_compile: compiles the modules in OUT for the K_* kernel; exits 1 if this fails
modules_compile() # OUT [VAR=VALUE...]
{
	local out=$1 dir extra=("${@:2}")
	for dir in driver selftests/kmod; do
		[ -e "$out/$dir/Kbuild" ] || [ -e "$out/$dir/Makefile" ] || continue
		if [ "$dir" != driver ] && [ -e "$out/driver/Module.symvers" ]; then
			extra+=(KBUILD_EXTRA_SYMBOLS=/srv/driver/Module.symvers)
		fi
		kbuild "$out" "$dir" "${extra[@]}" || {
			# Remove the modules of an earlier build, so that nothing uses them by
			# mistake.
			rm -f "$out"/{driver,selftests/kmod}/*.ko
			die "$dir does not build for $K_RELEASE"
		}
	done
}

# modules_keep ENTRY OUT: copies the modules of OUT to ENTRY in the cache. Removes all entries
# except the MODULES_MAX that were used last.
modules_keep()
{
	local name
	entry_make "$1" modules_copy "$2"
	find "$CACHE/modules" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %f\n' | sort -rn |
		tail -n "+$((MODULES_MAX + 1))" | while read -r _ name; do
			rm -rf "$CACHE/modules/$name.stamp" "$CACHE/modules/$name"
		done
}

# modules_copy: copies the modules and the log of the build from OUT into the new folder NEW
modules_copy() # OUT NEW
{
	[ -e "$1/driver/xiw.ko" ] || die "no xiw.ko in $1"
	shopt -s nullglob
	mkdir "$2"
	(cd "$1" && cp --parents log {driver,selftests/kmod}/*.{ko,symvers} "$2")
	shopt -u nullglob
}

# kbuild OUT DIR [VAR=VALUE...]: builds the modules of OUT/DIR for the K_* kernel. In the build
# root, OUT is mounted at /srv. The cache keeps the results of the driver's compile probes for other
# clones of the tree; driver/compat/probe.sh checks whether they are valid.
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

# modules_variant NAME [VAR=VALUE...]: builds the variant NAME of the driver for the K_* kernel into
# build/kernel/RELEASE/NAME
modules_variant()
{
	local flag=${VARIANT_FLAGS[$1]} out=$TREE/build/kernel/$K_RELEASE/$1
	local SOURCES=(driver uapi VERSION)
	root_kernel
	step "the driver with $flag" with_lock "build-$(key "$TREE" "$K_RELEASE")" \
		modules_make "$out" "${@:2}" "$flag"
}

# sources_copy DIR: copies into DIR the files of SOURCES that have changed, and removes from DIR
# those that were deleted. SOURCES lists files and folders of the tree. Keeps the files that the
# build has generated. Each line of DIR/.sources contains the path, modification time and size of a
# source.
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

# utils_install: installs utils into a folder, with the layout of the packages, and sets INSTALLED
# to this folder. build/guest/utils must contain a build of utils.
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
