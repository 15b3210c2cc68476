# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Kernels that the lab compiles once, from Debian's source, into the cache. The folder vm/KERNEL
# contains configuration fragments for KERNEL.
# Kernels for virtual machines:
#   debug  the stable series with all checks; it runs the tests of the stable kernel
#   kcsan  the stable series, for modules with KCSAN; it runs the tests of the stable kernel
# Kernels for User-Mode Linux (uml.sh), which run as processes, at the speed of the processor:
#   uml         the newest series, one CPU, for benchmarks
#   uml-stable  the stable series, one CPU; it runs the tests of the stable kernel
#   uml-smp     the newest series, many CPUs
#   uml-debug   the newest series, many CPUs, all checks that User-Mode Linux supports
#   uml-module, uml-builtin  uml-smp with this tree's driver in the kernel tree (intree.sh)
# shellcheck shell=bash

# A part of the key of each kernel. Increase it when the code that compiles the kernel changes.
declare -A COMPILED_RECIPE=([debug]=1 [kcsan]=1 [uml]=1 [uml-stable]=1 [uml-smp]=2 [uml-debug]=2
	[uml-module]=2 [uml-builtin]=2)
# Configuration fragments from other folders. The fragments of the kernel's own folder follow them.
UML_BASE='uml/machine.config debug/network.config uml-stable/tests.config'
# The fragments with the options of ULPs, and of interfaces and encryption below RDMA. A kernel with
# the driver in its tree omits them, so that only the driver's Kconfig selects the options that the
# driver needs.
LAYERS='debug/links.config debug/ulps.config'
declare -A COMPILED_BASE=([uml]='debug/ulps.config'
	[kcsan]='debug/machine.config debug/network.config'
	[uml-stable]="uml/machine.config debug/network.config $LAYERS debug/series.config"
	[uml-smp]="$UML_BASE $LAYERS"
	[uml-debug]="debug/checks.config $UML_BASE $LAYERS uml-smp/smp.config"
	[uml-module]="$UML_BASE uml-smp/smp.config"
	[uml-builtin]="$UML_BASE uml-smp/smp.config uml-module/driver.config")
# Arguments of make that apply to the kernel, and not to modules that are built against it.
declare -A COMPILED_MAKE=([kcsan]=KCSAN_SANITIZE=n)
COMPILED_PACKAGES=(flex bison)
# Patterns of files that are not unpacked, because no build needs them. These files are half of the
# source.
COMPILED_DROPPED=('*/Documentation/*/*' '*/drivers/gpu/*.[ch]' '*.dts' '*.dtsi' '*/tools/testing/*')

# kernel_compiled KIND: sets K_* for the kernel KIND, a word of COMPILED_OF, and compiles the kernel
# unless the cache has it. Sets COMPILED to its folder, which contains release, vmlinuz, modules/
# and headers/.
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

# compiled_base KIND: prints the configuration fragments that the kernel KIND takes from other
# folders
compiled_base()
{
	local fragment
	for fragment in ${COMPILED_BASE[$1]-}; do
		cat "$LAB/$fragment"
	done
}

# compiled_config: prints the options in all fragments of the K_* kernel. If fragments set an option
# differently, the last value is used.
compiled_config()
{
	{ compiled_base "$K_KIND" && cat "$LAB/$K_KIND"/*.config; } |
		awk -F= '/^CONFIG_/ { if (!($1 in line)) order[++n] = $1; line[$1] = $0 }
			END { for (i = 1; i <= n; i++) print line[order[i]] }'
}

# compiled_make: makes the entry COMPILED, and removes older kernels of the same kind
compiled_make()
{
	entry_whole "$COMPILED" && return
	host_packages xz=xz-utils patch=patch
	step "kernel $K_KIND $K_SERIES (a quarter of an hour)" \
		entry_make "$COMPILED" compiled_compile
	entries_prune "$CACHE/$K_KIND/*" "$COMPILED"
}

# compiled_compile NEW: compiles the K_* kernel, and installs it into the new folder NEW
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
	# Do not use ccache. Each source file includes the whole configuration, so ccache would find
	# no object after a change of the configuration, and each build would take a tenth more
	# time.
	root_enter "$ROOT" make "${K_MAKE[@]}" "${kernel_make[@]}" -j"$(nproc)" "$target" modules
	compiled_install "$new"
	cd "$CACHE" || return
	rm -rf "$work"
}

# compiled_install NEW: installs into NEW the kernel that make has built in the current folder, with
# its modules and headers
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

# compiled_config_check: checks that .config in the current folder contains each option of the
# fragments. A missing option has been renamed, or lacks a dependency.
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

# compiled_headers ROOT: copies the headers of the K_* kernel into the root ROOT
compiled_headers() # ROOT
{
	local dir=$1/usr/lib/modules/$K_RELEASE
	rm -rf "$dir"
	mkdir -p "$dir"
	cp -a "$COMPILED/headers" "$dir/build"
}
