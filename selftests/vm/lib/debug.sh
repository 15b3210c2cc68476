# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The kernel "debug": Debian's source of the stable series with debug/*.config,
# built once into the cache. It runs the tests of the stable kernel.
# shellcheck shell=bash

DEBUG_RECIPE=1	# part of the key: raise it when the recipe changes
DEBUG_PACKAGES=(flex bison)
# Nothing of it is built, and it is half of the source.
DEBUG_DROPPED=('*/Documentation/*/*' '*/drivers/gpu/*.[ch]' '*.dts' '*.dtsi' '*/tools/testing/*')

# kernel_debug: sets K_* for the debug kernel, built if it is not there, and
# DEBUG_KERNEL to the folder with release, vmlinuz, modules/ and headers/
kernel_debug()
{
	kernel stable
	# shellcheck disable=SC2034 # used by root.sh and image.sh
	K_DEBUG=1
	root_layer "$K_ROOT" kernel "$(key "${DEBUG_PACKAGES[@]}")" \
		root_install "${DEBUG_PACKAGES[@]}"
	K_CONFIG=$(key "$DEBUG_RECIPE" "$K_VERSION" "${ROOT##*/}" "${DEBUG_DROPPED[@]}" \
		"$(cat "$LAB"/debug/*.config)")
	DEBUG_KERNEL=$CACHE/debug/$K_SERIES-$K_CONFIG
	with_lock debug debug_make
	K_RELEASE=$(<"$DEBUG_KERNEL/release")
}

debug_make()
{
	entry_whole "$DEBUG_KERNEL" && return
	host_packages xz=xz-utils
	step "debug kernel $K_SERIES (a quarter of an hour)" \
		entry_make "$DEBUG_KERNEL" debug_compile
	entries_prune "$CACHE/debug/*" "$DEBUG_KERNEL"
}

debug_compile() # NEW
{
	local new=$1 work=$1.work
	rm -rf "$work"
	kernel_source_unpack "${DEBUG_DROPPED[@]/#/--exclude=}" "$work"
	cat "$LAB"/debug/*.config >"$work/lab.config"
	cd "$work" || return	# root_enter shows the current folder inside
	root_enter "$ROOT" make KCONFIG_ALLCONFIG=lab.config allnoconfig
	debug_config_check
	root_enter "$ROOT" make -j"$(nproc)" bzImage modules
	debug_install "$new"
	cd "$CACHE" || return
	rm -rf "$work"
}

# What make built in the current folder, to where it is used from.
debug_install() # NEW
{
	mkdir -p "$1"
	root_enter "$ROOT" make INSTALL_MOD_PATH=lab.modules INSTALL_MOD_STRIP=1 \
		DEPMOD=true modules_install
	# shellcheck disable=SC2016 # make expands it
	root_enter "$ROOT" make KBUILD_RUN_COMMAND='$(srctree)/scripts/package/install-extmod-build lab.headers' \
		run-command
	cp include/config/kernel.release "$1/release"
	cp arch/x86/boot/bzImage "$1/vmlinuz"
	mv lab.modules/lib/modules "$1/modules"
	rm -f "$1"/modules/*/build
	mv lab.headers "$1/headers"
}

# An option that the fragments ask for and the configuration lacks has been
# renamed, or depends on something that is missing.
debug_config_check()
{
	local line missing=()
	while read -r line; do
		case $line in
		CONFIG_*=n) ! grep -q "^${line%n}" .config || missing+=("$line") ;;
		CONFIG_*) grep -qxF "$line" .config || missing+=("$line") ;;
		esac
	done <lab.config
	[ "${#missing[@]}" -eq 0 ] || die "not in the debug kernel: ${missing[*]}"
}

debug_headers() # ROOT
{
	local dir=$1/usr/lib/modules/$K_RELEASE
	rm -rf "$dir"
	mkdir -p "$dir"
	cp -a "$DEBUG_KERNEL/headers" "$dir/build"
}
