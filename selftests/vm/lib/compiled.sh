# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# This file compiles these kernels once, from Debian's source, and keeps them in the cache. Each
# name is also a folder beside lib/, with fragments of the configuration. Virtual machines:
#   debug  the stable series with all checks; it runs the tests of the stable kernel
#   kcsan  the stable series with KCSAN over this tree's modules; the tests of the stable kernel
# User-Mode Linux (uml.sh), which runs as a process at the speed of the processor:
#   uml         the newest series, one CPU, for benchmarks
#   uml-stable  the stable series, one CPU; it runs the tests of the stable kernel
#   uml-smp     the newest series, many CPUs
#   uml-debug   the newest series, many CPUs, all checks that User-Mode Linux supports
#   uml-module, uml-builtin  uml-smp with this tree's driver in the kernel tree (intree.sh)
# shellcheck shell=bash

# Part of the key: increase it when the recipe changes.
declare -A COMPILED_RECIPE=([debug]=1 [kcsan]=1 [uml]=1 [uml-stable]=1 [uml-smp]=2 [uml-debug]=2
	[uml-module]=2 [uml-builtin]=2)
# Fragments of another folder, which come first.
UML_BASE='uml/machine.config debug/network.config uml-stable/tests.config'
# Options that ULPs and other layers need. A kernel with the driver in its tree is compiled without
# these fragments, because there the driver must select the options that it needs.
LAYERS='debug/links.config debug/ulps.config'
declare -A COMPILED_BASE=([kcsan]='debug/machine.config debug/network.config'
	[uml-stable]="uml/machine.config debug/network.config $LAYERS debug/series.config"
	[uml-smp]="$UML_BASE $LAYERS"
	[uml-debug]="debug/checks.config $UML_BASE $LAYERS uml-smp/smp.config"
	[uml-module]="$UML_BASE uml-smp/smp.config"
	[uml-builtin]="$UML_BASE uml-smp/smp.config uml-module/driver.config")
# Arguments of make for the kernel, but not for modules that are built against it.
declare -A COMPILED_MAKE=([kcsan]=KCSAN_SANITIZE=n)
COMPILED_PACKAGES=(flex bison)
# Files to exclude. No build needs these files, which are half of the source.
COMPILED_DROPPED=('*/Documentation/*/*' '*/drivers/gpu/*.[ch]' '*.dts' '*.dtsi' '*/tools/testing/*')

# kernel_compiled KIND: sets K_* for that kernel, compiles it if needed, and sets COMPILED to the
# folder with release, vmlinuz, modules/ and headers/
kernel_compiled()
{
	kernel "${COMPILED_OF[$1]}"
	K_KIND=$1
	# shellcheck disable=SC2034 # used by the runner
	case $1 in
	debug | kcsan | uml-debug) K_DEBUG=1 ;;
	esac
	case $1 in
	uml*) K_UML=1 K_MAKE=(ARCH=um) ;;
	esac
	case $1 in
	uml-module | uml-builtin)
		K_INTREE=1
		root_check "$K_ROOT" ;;
	esac
	root_layer "$K_ROOT" kernel "$(key "${COMPILED_PACKAGES[@]}")" \
		root_install "${COMPILED_PACKAGES[@]}"
	root_ccache
	K_CONFIG=$(key "${COMPILED_RECIPE[$1]}" "$K_VERSION" "${ROOT##*/}" "${COMPILED_DROPPED[@]}" \
		"$(compiled_base "$1" && cat "$LAB/$1"/*)" ${K_INTREE:+"$(intree_key)"})
	COMPILED=$CACHE/$1/$K_SERIES-$K_CONFIG
	with_lock "$1" compiled_make
	K_RELEASE=$(<"$COMPILED/release")
}

# compiled_base KIND: prints the fragments that the kernel takes from another folder
compiled_base()
{
	local fragment
	for fragment in ${COMPILED_BASE[$1]-}; do
		cat "$LAB/$fragment"
	done
}

# compiled_config: prints all fragments of the kind; the last value of an option is used
compiled_config()
{
	{ compiled_base "$K_KIND" && cat "$LAB/$K_KIND"/*.config; } |
		awk -F= '/^CONFIG_/ { if (!($1 in line)) order[++n] = $1; line[$1] = $0 }
			END { for (i = 1; i <= n; i++) print line[order[i]] }'
}

compiled_make()
{
	entry_whole "$COMPILED" && return
	host_packages xz=xz-utils patch=patch
	step "kernel $K_KIND $K_SERIES (a quarter of an hour)" \
		entry_make "$COMPILED" compiled_compile
	entries_prune "$CACHE/$K_KIND/*" "$COMPILED"
}

compiled_compile() # NEW
{
	local new=$1 work=$1.work target=bzImage kernel_make=()
	rm -rf "$work"
	kernel_source_unpack "${COMPILED_DROPPED[@]/#/--exclude=}" "$work"
	compiled_config >"$work/lab.config"
	[ -z "${COMPILED_MAKE[$K_KIND]-}" ] || kernel_make+=("${COMPILED_MAKE[$K_KIND]}")
	cd "$work" || return	# root_enter makes the current folder visible
	if [ "$K_UML" ]; then
		uml_crc32c
		uml_mend
		target=linux
	fi
	[ -z "$K_INTREE" ] || intree_put
	root_enter "$ROOT" make "${K_MAKE[@]}" KCONFIG_ALLCONFIG=lab.config allnoconfig
	compiled_config_check
	# Do not use ccache: it would add a tenth of the time and find no object, because each
	# source file includes the configuration.
	root_enter "$ROOT" make "${K_MAKE[@]}" "${kernel_make[@]}" -j"$(nproc)" "$target" modules
	compiled_install "$new"
	cd "$CACHE" || return
	rm -rf "$work"
}

# Install the kernel that make built in the current folder.
compiled_install() # NEW
{
	mkdir -p "$1"
	root_enter "$ROOT" make "${K_MAKE[@]}" INSTALL_MOD_PATH=lab.modules INSTALL_MOD_STRIP=1 \
		DEPMOD=true modules_install
	# shellcheck disable=SC2016 # make expands it
	root_enter "$ROOT" make "${K_MAKE[@]}" \
		KBUILD_RUN_COMMAND='$(srctree)/scripts/package/install-extmod-build lab.headers' \
		run-command
	cp include/config/kernel.release "$1/release"
	if [ "$K_UML" ]; then uml_install "$1"; else cp arch/x86/boot/bzImage "$1/vmlinuz"; fi
	mv lab.modules/lib/modules "$1/modules"
	rm -f "$1"/modules/*/build
	mv lab.headers "$1/headers"
}

# If an option of the fragments is missing in the configuration, it has been renamed, or it lacks a
# dependency.
compiled_config_check()
{
	local line missing=()
	while read -r line; do
		case $line in
		CONFIG_*=n) ! grep -q "^${line%n}" .config || missing+=("$line") ;;
		CONFIG_*) grep -qxF "$line" .config || missing+=("$line") ;;
		esac
	done <lab.config
	[ "${#missing[@]}" -eq 0 ] || die "not in the kernel $K_KIND: ${missing[*]}"
}

compiled_headers() # ROOT
{
	local dir=$1/usr/lib/modules/$K_RELEASE
	rm -rf "$dir"
	mkdir -p "$dir"
	cp -a "$COMPILED/headers" "$dir/build"
}
