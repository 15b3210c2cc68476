# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# The current Debian kernels: series, release, version and use.
# shellcheck shell=bash

# kernels_list: prints one line for each kernel, oldest first:
#   ROLE SERIES RELEASE VERSION SUITE ROOT USE
# ROLE is oldest, stable, newest or next. SUITE has the packages of the kernel; ROOT is the build
# root for its modules. USE is "run", or "build" if the image or the source of the kernel is
# missing.
kernels_list()
{
	local table=$CACHE/kernels suite
	for suite in bookworm trixie; do
		suite_lists "$suite"
	done
	if [ ! -s "$table" ] || [ "$table" -ot "$CACHE/apt/bookworm/fetched" ] ||
	   [ "$table" -ot "$CACHE/apt/trixie/fetched" ]; then
		kernels_resolve >"$table.$$"
		mv "$table.$$" "$table"
	fi
	cat "$table"
}

# kernels_resolve: prints the lines of kernels_list from the package lists. "newest" is the last
# backport that has an image and a source. If there is a later backport without an image or a
# source, "next" is the last such backport. If there is no "newest", the function prints the other
# lines, and kernel() fails for "newest" and for the kernels that depend on it.
kernels_resolve()
{
	local packages releases newest='' release version
	kernel_stable oldest bookworm build12
	kernel_stable stable trixie build

	packages=$(suite_apt trixie apt-cache pkgnames linux-headers-) ||
		die "trixie has no package list"
	mapfile -t releases < <(sed -n 's/^linux-headers-\([0-9.]*+deb13[.0-9]*-amd64\)$/\1/p' \
		<<<"$packages" | sort -rV)
	for release in "${releases[@]}"; do
		version=$(suite_versions trixie "linux-headers-$release")
		version=${version#*=}
		case $version in *~bpo*) ;; *) continue ;; esac
		if kernel_complete "$release" "$version"; then
			newest="$release $version"
			break
		fi
		[ -n "${next-}" ] || local next="$release $version"
	done
	if [ "$newest" ]; then kernel_line newest "${newest% *}" "${newest#* }" run
	else warn "trixie has no backport with headers, image and source"; fi
	[ -z "${next-}" ] || kernel_line next "${next% *}" "${next#* }" build
}

# kernel_line: prints the line of kernels_list for a kernel of trixie
kernel_line() # ROLE RELEASE VERSION USE
{
	local series
	series=$(cut -d. -f1,2 <<<"$2")
	echo "$1 $series $2 $3 trixie build $4"
}

# kernel_stable ROLE SUITE ROOT: prints the line of kernels_list for the kernel on which
# linux-image-amd64 of SUITE depends
kernel_stable()
{
	local version release
	version=$(suite_versions "$2" linux-image-amd64)
	version=${version#*=}
	release=$(suite_field "$2" linux-image-amd64 "$version" Depends |
		sed -n 's/.*linux-image-\([0-9][^ ,]*\).*/\1/p')
	[ -n "$release" ] || die "$2 has no linux-image-amd64"
	echo "$1 $(cut -d. -f1,2 <<<"$release") $release $version $2 $3 run"
}

# kernel_complete RELEASE VERSION: succeeds if trixie has the image and the source of this kernel,
# in addition to its headers
kernel_complete()
{
	local series
	series=$(cut -d. -f1,2 <<<"$1")
	[ -n "$(suite_field trixie "linux-image-$1" "$2" Version 2>/dev/null)" ] &&
		[ -n "$(suite_field trixie "linux-source-$series" "$2" Version 2>/dev/null)" ]
}

# The kernels that compiled.sh compiles, each with the role of the Debian kernel whose source it
# uses.
declare -A COMPILED_OF=([debug]=stable [kcsan]=stable [uml]=newest
	[uml-stable]=stable [uml-smp]=newest [uml-debug]=newest
	[uml-module]=newest [uml-builtin]=newest)

# Debian also builds each of its kernels in two other flavours: rt has PREEMPT_RT; cloud has fewer
# drivers, because it is only for virtual machines of cloud providers.
declare -A FLAVOUR_OF=([rt-oldest]=oldest [rt]=stable [rt-newest]=newest
	[cloud-oldest]=oldest [cloud]=stable [cloud-newest]=newest)

# kernel_flavour ROLE: sets K_* for the kernel ROLE, a word of FLAVOUR_OF
kernel_flavour()
{
	kernel "${FLAVOUR_OF[$1]}"
	K_ROLE=$1 K_FLAVOUR=${1%%-*} K_RELEASE=${K_RELEASE%-amd64}-$K_FLAVOUR-amd64
	[ -n "$(suite_field "$K_SUITE" "linux-image-$K_RELEASE" "$K_VERSION" Version 2>/dev/null)" ] ||
		die "$K_SUITE has no $K_RELEASE $K_VERSION"
}

# The names that the kernel's source has for other architectures. For these architectures, the lab
# uses Debian 13's kernel.
declare -A MACHINE_ARCH=([arm64]=arm64 [s390x]=s390)

# kernel_machine ARCHITECTURE: sets K_* for Debian 13's kernel of ARCHITECTURE, a word of
# MACHINE_ARCH
kernel_machine()
{
	K_ROLE=$1 K_SUITE=trixie:$1 K_ROOT=machine-$1 K_USE=run K_MACHINE=$1
	K_CROSS=${MACHINE_TRIPLET[$1]}-
	K_MAKE=("ARCH=${MACHINE_ARCH[$1]}" "CROSS_COMPILE=$K_CROSS")
	suite_lists "$K_SUITE"
	K_VERSION=$(suite_versions "$K_SUITE" "linux-headers-$1")
	K_VERSION=${K_VERSION#*=}
	K_RELEASE=$(suite_field "$K_SUITE" "linux-headers-$1" "$K_VERSION" Depends |
		sed -n 's/.*linux-headers-\([0-9][^ ,]*\).*/\1/p')
	[ -n "$K_RELEASE" ] || die "$K_SUITE has no linux-headers-$1"
	K_SERIES=$(cut -d. -f1,2 <<<"$K_RELEASE")
}

# kernel NAME: sets K_* for the kernel NAME, and exits if there is no such kernel. NAME is a role, a
# series, a release, or a word of FLAVOUR_OF, COMPILED_OF or MACHINE_ARCH.
#   K_ROLE K_SERIES K_RELEASE K_VERSION K_SUITE K_ROOT K_USE
#              the fields of kernels_list
#   K_KIND     the word of COMPILED_OF; empty for Debian's own kernels
#   K_DEBUG    set for kernels with checks
#   K_CONFIG   for kernels of COMPILED_OF, a hash of everything on which the kernel depends
#   K_MAKE     further arguments of make, for the kernel and its modules
#   K_FLAVOUR  rt or cloud, for kernels of FLAVOUR_OF
#   K_UML      set for User-Mode Linux
#   K_INTREE   set for kernels that contain the driver
#   K_MACHINE  the word of MACHINE_ARCH; empty for amd64
#   K_CROSS    the prefix of the cross compiler's programs; empty for amd64
kernel()
{
	local role series release version suite root use table
	K_KIND='' K_DEBUG='' K_CONFIG='' K_FLAVOUR='' K_UML='' K_INTREE='' K_MACHINE='' K_CROSS=''
	K_MAKE=()
	if [ "${FLAVOUR_OF[$1]-}" ]; then
		kernel_flavour "$1"
		return
	fi
	if [ "${COMPILED_OF[$1]-}" ]; then
		kernel_compiled "$1"
		return
	fi
	if [ "${MACHINE_ARCH[$1]-}" ]; then
		kernel_machine "$1"
		return
	fi
	table=$(kernels_list)
	while read -r role series release version suite root use; do
		case $1 in
		"$role" | "$series" | "$release")
			K_ROLE=$role K_SERIES=$series K_RELEASE=$release K_VERSION=$version
			K_SUITE=$suite K_ROOT=$root K_USE=$use
			return ;;
		esac
	done <<<"$table"
	die "no kernel '$1'; there are: $(cut -d' ' -f1,2 <<<"$table" | paste -sd,)"
}
