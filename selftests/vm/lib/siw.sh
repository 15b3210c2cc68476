# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# siw for a kernel of the lab. Debian ships the source of siw, but not the module.
# shellcheck shell=bash

SIW_RECIPE=4	# part of the cache key; increase it when the build of siw changes

# kernel_source WHERE MEMBER...: sets SOURCE to a folder of the cache that contains the paths MEMBER
# of the K_* kernel's source. Unpacks these paths unless the cache has them. WHERE is a part of the
# folder's name.
kernel_source()
{
	SOURCE=$CACHE/source/$1-$K_SERIES-$(key "$K_VERSION" "${@:2}")
	with_lock "source-$K_SERIES" kernel_source_make "${@:2}"
}

# kernel_source_make MEMBER...: makes the entry SOURCE
kernel_source_make()
{
	entry_whole "$SOURCE" && return
	host_packages xz=xz-utils
	step "source of $K_SERIES" entry_make "$SOURCE" kernel_source_unpack "$@"
}

# kernel_source_unpack: downloads the K_* kernel's linux-source package, and unpacks the MEMBERs
# into the new folder NEW. A MEMBER may also be an option of tar.
kernel_source_unpack() # MEMBER... NEW
{
	local new=${*: -1} name=linux-source-$K_SERIES
	suite_download "$K_SUITE" "$new.debs" "$name=$K_VERSION"
	mkdir -p "$new"
	dpkg-deb --fsys-tarfile "$new.debs"/*.deb |
		tar -x -O --wildcards "*/$name.tar.xz" |
		xz -d -T0 | tar -x -C "$new" --strip-components=1 "${@:1:$#-1}"
	rm -r "$new.debs"
}

# siw_build NAME...: builds siw for the K_* kernel, unless the cache has it, and sets SIW to the
# folders with NAME.ko. NAME is siw, siw_mpa1 (it initiates with MPA revision 1) or siw_crc (it
# requests CRC).
siw_build()
{
	local name one
	SIW=()
	for name in "$@"; do
		one=$CACHE/siw/$K_RELEASE-$(key "$K_VERSION" "$SIW_RECIPE" "$name" \
			${K_CONFIG:+"$K_CONFIG"})
		SIW+=("$one")
		! entry_whole "$one" || continue
		kernel_source siw "linux-source-$K_SERIES/drivers/infiniband/sw/siw"
		root_kernel
		with_lock "siw-$K_RELEASE" siw_make "$name" "$one"
	done
}

# siw_make: makes the entry with NAME.ko in the cache
siw_make() # NAME ENTRY
{
	entry_whole "$2" && return
	step "$1 for $K_RELEASE" entry_make "$2" siw_compile "$1"
}

# siw_changed NAME FILE: changes the setting that distinguishes the module NAME from siw. The
# setting is a global variable in the source FILE. Returns 1 if FILE does not contain the setting.
siw_changed()
{
	local name=$1 setting value
	case $name in
	siw_mpa1) setting=mpa_version value=MPA_REVISION_1 ;;
	siw_crc) setting=mpa_crc_required value=true ;;
	*) return 0 ;;
	esac
	sed -i "s/^\([a-z].*\b$setting\)\b[^;]*;/\1 = $value;/" "$2"
	grep -q "^[a-z].*\b$setting = $value;" "$2" ||
		{ echo "$setting not found in ${2##*/}"; return 1; }
}

# siw_compile: compiles a copy of siw, with the change of siw_changed, into NEW/NAME.ko
siw_compile() # NAME NEW
{
	local name=$1 work=$2.work dir=drivers/infiniband/sw/siw
	mkdir -p "$2"
	rm -rf "$work"
	cp -r "$SOURCE/$dir" "$work"
	siw_changed "$name" "$work/siw_main.c" || return
	sed -i "s/\bsiw\.o\b/$name.o/; s/^siw-y\b/$name-y/" "$work/Makefile"
	(cd "$CACHE/tmp" && root_enter "$ROOT" make "${K_MAKE[@]}" -j"$(nproc)" \
		-C "/lib/modules/$K_RELEASE/build" M="$work" CONFIG_RDMA_SIW=m modules)
	(cd "$CACHE/tmp" && root_enter "$ROOT" "${K_CROSS}strip" --strip-debug "$work/$name.ko")
	cp "$work/$name.ko" "$2/$name.ko"
	rm -rf "$work"
}
