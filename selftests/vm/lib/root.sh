# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Debian roots in the cache. The lab enters the roots for builds and for QEMU by chroot. The roots
# for guests become disks.
# shellcheck shell=bash

ROOT_RECIPE=1	# part of every key: increase it when a recipe below changes

BUILD_PACKAGES=(make gcc g++ libc6-dev bc kmod cpio xz-utils zstd python3-minimal
	libelf-dev libssl-dev zlib1g-dev pahole)
# Packages to build all of utils. The demo also builds all of utils, because later tests use its
# build.
TOOL_PACKAGES=(pkgconf cmake ninja-build libmnl-dev libpcap-dev libcli11-dev nlohmann-json3-dev
	libfmt-dev libibverbs-dev librdmacm-dev scdoc)
# Further packages for tests and static checks.
CHECK_PACKAGES=("${TOOL_PACKAGES[@]}" catch2 sparse clang-format-19 clang-tidy-19
	shellcheck codespell tshark zsh mandoc python3 python3-yaml python3-jsonschema
	git perl file iproute2 libfabric-dev)
# Libraries that the test suites of other projects need, in a separate layer of the root.
SUITE_PACKAGES=(libabsl-dev libgtest-dev libgmock-dev libmagicenum-dev libprotobuf-dev
	protobuf-compiler)
# Packages for the core's microbenchmarks, in a separate layer, which rarely changes.
BENCH_PACKAGES=(libbenchmark-dev)
# ccache keeps compiled objects in the lab's cache, where other clones of the tree find them
# (enter).
CCACHE_PACKAGES=(ccache)
FUZZ_PACKAGES=(cmake ninja-build clang-19 libclang-rt-19-dev)
GUEST_PACKAGES=(bash coreutils util-linux mount procps kmod iproute2 iputils-ping
	nvme-cli fio ethtool iperf3 tcpdump socat jq busybox-static
	ibverbs-providers ibverbs-utils rdmacm-utils perftest
	nfs-common nfs-kernel-server cifs-utils ksmbd-tools open-iscsi
	ktls-utils openssl
	libstdc++6 libmnl0 libfmt10)
# Large packages that few tests need. These tests have the line "# disk: programs".
PROGRAM_PACKAGES=("${GUEST_PACKAGES[@]}" bpftrace python3-pyverbs libfabric-bin
	openmpi-bin python3-mpi4py qperf qemu-system-x86 podman tgt libiscsi-bin
	ceph-mon ceph-osd ceph-common
	multipath-tools sg3-utils udev lsof xfsprogs)
# The packages of an administrator's machine, for tests with the line "# disk: systemd".
SYSTEMD_PACKAGES=("${GUEST_PACKAGES[@]}" systemd udev dbus rdma-core targetcli-fb)
# The same packages for Debian 12, except those that it lacks, for "# disk: systemd12".
mapfile -t SYSTEMD12_PACKAGES < <(printf '%s\n' "${SYSTEMD_PACKAGES[@]}" |
	grep -vxE 'ktls-utils|libfmt10')
# These packages are only unpacked, so the list also contains the packages that every root needs.
QEMU_PACKAGES=(base-files dash coreutils qemu-system-x86)
# DEB_PACKAGES are for the root that builds this tree's packages. ADMIN_PACKAGES are for the root in
# which a test installs this tree's packages. ADMIN_PACKAGES do not include the dependencies of this
# tree's packages, because the test must install these dependencies.
DEB_PACKAGES=(build-essential debhelper dh-dkms lintian rpm "${TOOL_PACKAGES[@]}"
	libibverbs-dev librdmacm-dev)
ADMIN_PACKAGES=(linux-headers-amd64)
ADMIN_ARM64_PACKAGES=(linux-headers-arm64)
# For the root that builds this tree's packages for arm64: a cross compiler, the build dependencies,
# and an emulator, because the build runs the program xiw.
DEB_CROSS_PACKAGES=(build-essential crossbuild-essential-arm64 debhelper dh-dkms lintian qemu-user
	cmake ninja-build libcli11-dev nlohmann-json3-dev scdoc
	{pkgconf,libmnl-dev,libpcap-dev,libfmt-dev,libibverbs-dev,librdmacm-dev}:arm64)
# For builds for other architectures: a cross compiler with its C library, and an emulator for
# programs. MACHINE_LIBRARIES are packages of the other architecture, which are only unpacked.
declare -A MACHINE_TRIPLET=([arm64]=aarch64-linux-gnu [s390x]=s390x-linux-gnu)
MACHINE_PACKAGES=(qemu-user ccache pkgconf cmake ninja-build libcli11-dev nlohmann-json3-dev scdoc)
MACHINE_LIBRARIES=(libmnl-dev libmnl0 libpcap0.8-dev libpcap0.8t64 libdbus-1-dev libdbus-1-3
	libsystemd-dev libsystemd0 libcap2 libfmt-dev libfmt10 libibverbs-dev libibverbs1 librdmacm-dev
	librdmacm1t64 libnl-3-dev libnl-3-200 libnl-route-3-dev libnl-route-3-200 libcatch2-dev
	libbenchmark-dev libbenchmark1.9.1)
# Packages for guests of other architectures. No program of the root runs on this machine, so the
# packages are only unpacked, and the list also contains the packages that every root needs.
MACHINE_GUEST_PACKAGES=(base-files bash coreutils dash debianutils diffutils findutils grep gzip
	hostname libc-bin mawk sed tar util-linux mount procps kmod iproute2 iputils-ping ethtool socat jq
	tcpdump perl-base busybox-static nvme-cli fio ibverbs-providers ibverbs-utils rdmacm-utils
	libstdc++6 libmnl0 libfmt10)
declare -A MACHINE_QEMU=([arm64]='qemu-system-arm ipxe-qemu' [s390x]=qemu-system-s390x)
# A terminal on an invisible screen, and tools to take pictures of the screen.
SCREENS_PACKAGES=(xvfb xterm fonts-dejavu-core imagemagick optipng)

# root NAME: makes the root NAME if needed, and sets ROOT to its path. NAME is build, build12,
# guest, programs, systemd, systemd12, qemu, newqemu, deb12, deb13, admin12, admin13 or screens. For
# other architectures, NAME is machine-ARCHITECTURE (to build), ARCHITECTURE-guest,
# ARCHITECTURE-qemu, arm64-deb (to build packages), or arm64-admin (to install packages).
root()
{
	local suite release='' variant=apt architectures='' packages=("${BUILD_PACKAGES[@]}") versions
	case $1 in
	build | build12) ;;
	guest) packages=("${GUEST_PACKAGES[@]}") ;;
	programs) packages=("${PROGRAM_PACKAGES[@]}") ;;
	systemd) packages=("${SYSTEMD_PACKAGES[@]}") ;;
	systemd12) packages=("${SYSTEMD12_PACKAGES[@]}") ;;
	qemu) packages=("${QEMU_PACKAGES[@]}") variant=extract ;;
	newqemu) packages=("${QEMU_PACKAGES[@]}") variant=extract release=trixie-backports ;;
	deb12 | deb13) packages=("${DEB_PACKAGES[@]}") ;;
	arm64-deb) packages=("${DEB_CROSS_PACKAGES[@]}") architectures=amd64,arm64 ;;
	admin12 | admin13) packages=("${ADMIN_PACKAGES[@]}") ;;
	arm64-admin) packages=("${ADMIN_ARM64_PACKAGES[@]}") architectures=arm64 ;;
	screens) packages=("${SCREENS_PACKAGES[@]}") ;;
	machine-arm64 | machine-s390x)
		packages+=("${MACHINE_PACKAGES[@]}" "g++-${MACHINE_TRIPLET[${1#machine-}]}") ;;
	arm64-guest | s390x-guest)
		packages=("${MACHINE_GUEST_PACKAGES[@]}") variant=extract architectures=${1%-guest} ;;
	arm64-qemu | s390x-qemu)
		# shellcheck disable=SC2206 # a list of packages
		packages=(base-files dash coreutils ${MACHINE_QEMU[${1%-qemu}]}) variant=extract ;;
	*) die "no root '$1'; there are: build build12 check guest programs systemd" \
		"systemd12 qemu newqemu deb12 deb13 admin12 admin13 screens" \
		"machine-arm64 machine-s390x" \
		"arm64-guest s390x-guest arm64-qemu s390x-qemu arm64-deb arm64-admin" ;;
	esac
	suite=$(root_suite "$1")
	suite_lists "$suite"
	mapfile -t versions < <(suite_versions "$suite" \
		${release:+-o "APT::Default-Release=$release"} "${packages[@]}")
	ROOT=$CACHE/roots/$1-$(key "$ROOT_RECIPE" "$MIRROR" ${release:+"$release"} "${versions[@]}")
	with_lock "root-$1" root_make "$1" "$suite" "${packages[@]}"
}

# root_suite NAME: prints the Debian suite of the root NAME
root_suite()
{
	case $1 in
	*12) echo bookworm ;;
	*-guest | *-deb | *-admin) echo "trixie:${1%-*}" ;;
	*) echo trixie ;;
	esac
}

# root_make NAME SUITE PACKAGE...: makes the entry ROOT, and removes older versions of this root
root_make()
{
	local name=$1
	entry_whole "$ROOT" && return
	host_packages mmdebstrap=mmdebstrap "$KEYRING=debian-archive-keyring"
	step "root $name ($2)" root_emulated "$name" entry_make "$ROOT" root_bootstrap "${@:2}"
	rm -rf "$ROOT.layers"
	entries_prune "$CACHE/roots/$name-*" "$ROOT"
}

# root_bootstrap: makes a root of SUITE, with the packages and their dependencies, in the new folder
# NEW
root_bootstrap() # SUITE PACKAGE... NEW; $release, $variant and $architectures of root()
{
	local suite=$1 new=${*: -1} include options=${*: -1}.apt excluded=${*: -1}.dpkg hooks=()
	include=$(IFS=,; echo "${*:2:$#-2}")
	# The options of apt contain the host's proxy. They are in a file of this root, because
	# other roots may be made at the same time. If dpkg installs the packages, it omits
	# documentation and does not call fsync.
	grep '^Acquire' "$CACHE/apt/$suite/apt.conf" >"$options" || :
	[ -z "$release" ] || echo "APT::Default-Release \"$release\";" >>"$options"
	# Do not pass the excluded paths by --dpkgopt. With this option, mmdebstrap would also
	# filter each package that it only unpacks, and the filter takes longer than the unpacking.
	printf '%s\n' 'path-exclude=/usr/share/man/*' 'path-exclude=/usr/share/doc/*' \
		'path-include=/usr/share/doc/rdma-core*' 'path-exclude=/usr/share/locale/*' >"$excluded"
	[ "$variant" = extract ] ||
		hooks+=("--setup-hook=install -D -m 644 '$excluded' \"\$1\"/etc/dpkg/dpkg.cfg.d/lab")
	[ -z "$architectures" ] || hooks+=("--architectures=$architectures")
	# If packages of another architecture are only unpacked, make the files that their scripts
	# would make.
	[[ $variant != extract || $suite != *:* ]] ||
		hooks+=('--extract-hook=ln -s mawk "$1/usr/bin/awk"'
			'--extract-hook=echo root:x:0:0:root:/root:/bin/bash >"$1/etc/passwd"')
	# Skip the check for QEMU: root_emulated makes programs of the other architecture run.
	mmdebstrap --mode=root --skip=check/qemu --variant="$variant" --include="$include" \
		--keyring="$KEYRING" --aptopt="$options" --dpkgopt=force-unsafe-io "${hooks[@]}" \
		"${suite%:*}" "$new" "$CACHE/apt/$suite/sources.list"
	rm -f "$options" "$excluded"
}

# root_layer NAME LAYER KEY CMD...: sets ROOT to the root NAME, and adds LAYER to it, unless LAYER
# was added with the same KEY. CMD adds the layer; its last argument is the path of the root. The
# root has no stamp while CMD runs, so it is built again if CMD fails.
root_layer()
{
	root "$1"
	with_lock "root-$1" root_layer_make "$@"
}

# root_layer_make: does the work of root_layer, under the lock of the root
root_layer_make()
{
	local mark=$ROOT.layers/$2
	[ "$(cat "$mark" 2>/dev/null)" != "$3" ] || return 0
	rm -f "$ROOT.stamp"
	step "root $1: $2" "${@:4}" "$ROOT"
	mkdir -p "$ROOT.layers"
	echo "$3" >"$mark"
	entry_seal "$ROOT"
}

# root_install: installs packages in ROOT with apt
root_install() # PACKAGE... ROOT
{
	local root=${*: -1}
	unshare --mount --propagation private "$LAB/lib/enter" -w "$root" \
		sh -c 'apt-get -qq update && apt-get -y --no-install-recommends install "$@"' \
		sh "${@:1:$#-1}"
}

# root_check [NAME]: sets ROOT to the build root NAME (by default, build) with the packages for
# checks. The root of Debian 13 gets all of these packages. Other roots get only the packages for a
# build with W=1 C=1.
root_check()
{
	local versions packages=("${CHECK_PACKAGES[@]}") suite
	suite=$(root_suite "${1-build}")
	[ "${1-build}" = build ] || packages=(sparse perl python3)
	suite_lists "$suite"
	mapfile -t versions < <(suite_versions "$suite" "${packages[@]}")
	root_layer "${1-build}" check "$(key "${versions[@]}")" root_install "${packages[@]}"
	[ "${1-build}" = build ] || return 0
	with_lock root-build root_layer_make build bench "$(key "${BENCH_PACKAGES[@]}")" \
		root_install "${BENCH_PACKAGES[@]}"
	root_ccache
}

# root_ccache [NAME]: installs ccache in the build root NAME (by default, build), and sets ROOT to
# this root
root_ccache()
{
	root_layer "${1-build}" ccache "$(key "${CCACHE_PACKAGES[@]}")" \
		root_install "${CCACHE_PACKAGES[@]}"
}

# root_tool: sets ROOT to the Debian 13 build root with the packages for the tool
root_tool()
{
	suite_lists trixie
	root_layer build tool "$(key "${TOOL_PACKAGES[@]}")" root_install "${TOOL_PACKAGES[@]}"
}

# root_suites: sets ROOT to the root of root_tool, with the libraries that the test suites of other
# projects need
root_suites()
{
	local versions
	root_tool
	mapfile -t versions < <(suite_versions trixie "${SUITE_PACKAGES[@]}")
	root_layer build suites "$(key "${versions[@]}")" root_install "${SUITE_PACKAGES[@]}"
}

# root_machine ARCHITECTURE: sets ROOT to the build root for ARCHITECTURE, with the libraries of
# this architecture
root_machine()
{
	local versions suite=trixie:$1
	suite_lists "$suite"
	mapfile -t versions < <(suite_versions "$suite" "${MACHINE_LIBRARIES[@]}")
	root_layer "machine-$1" libraries "$(key "${versions[@]}")" \
		root_unpack "$suite" "${versions[@]}"
}

# root_unpack: unpacks packages of SUITE into ROOT, and runs none of their scripts
root_unpack() # SUITE PACKAGE=VERSION... ROOT
{
	local debs=$CACHE/tmp/debs.$$ deb
	rm -rf "$debs"
	suite_download "$1" "$debs" "${@:2:$#-2}"
	for deb in "$debs"/*.deb; do
		unpack "$deb" "${*: -1}"
	done
	rm -rf "$debs"
}

# root_fuzz: sets ROOT to the Debian 13 build root with libFuzzer
root_fuzz()
{
	root_layer build fuzz "$(key "${FUZZ_PACKAGES[@]}")" root_install "${FUZZ_PACKAGES[@]}"
}

# root_kernel: installs ccache and the headers of the K_* kernel in its build root, and sets ROOT to
# this root
root_kernel()
{
	root_ccache "$K_ROOT"
	if [ "$K_KIND" ]; then
		root_layer "$K_ROOT" "headers-$K_RELEASE" "$K_CONFIG" compiled_headers
		return
	fi
	root_layer "$K_ROOT" "headers-$K_RELEASE" "$K_VERSION" \
		root_headers "$K_SUITE" "$K_RELEASE" "$K_VERSION"
}

# root_headers: unpacks the kernel's headers into ROOT. It does not install the package, because
# Debian 13's header package depends on the whole kernel image.
root_headers() # SUITE RELEASE VERSION ROOT
{
	local names kbuild
	# The package depends on two others, the common headers and kbuild, whose names depend on
	# the series.
	mapfile -t names < <(suite_field "$1" "linux-headers-$2" "$3" Depends |
		grep -oE 'linux-(headers|kbuild)-[^ ,]*')
	[ ${#names[@]} -eq 2 ] || die "linux-headers-$2 needs '${names[*]}', not two packages"
	# kbuild's programs run on this machine, so its package is always of amd64. While a newer
	# kernel waits for its signature, the mirror may have only the kbuild of the newer kernel.
	# So accept any version of kbuild.
	kbuild=${names[1]}
	[[ $1 != *:* ]] || kbuild+=:amd64
	root_unpack "$1" "linux-headers-$2=$3" "${names[0]}=$3" "$(suite_versions "$1" "$kbuild")" "$4"
}

# root_enter ROOT CMD...: runs CMD in a read-only view of ROOT, in the current folder, and returns
# its status. CMD sees the tree and the current folder at their own paths. If ROOT has ccache, CMD
# also sees the tree at /tree, and runs there if the current folder is in the tree. LAB_MODULES, if
# set, names a folder that CMD sees as /srv.
root_enter()
{
	[ "$(id -u)" -eq 0 ] || die "needs root to enter a build root"
	mkdir -p "$CACHE/ccache"
	LAB_CCACHE=$CACHE/ccache \
		unshare --mount --propagation private "$LAB/lib/enter" -t "$TREE" "$@"
}

# root_emulated NAME CMD...: runs CMD and returns its status. If NAME is arm64-admin, whose programs
# are for arm64, the kernel runs these programs by QEMU until CMD ends.
root_emulated()
{
	[[ $1 = *-admin ]] || { "${@:2}"; return; }
	(
		name=xiw-$BASHPID registry=/proc/sys/fs/binfmt_misc
		mkdir -p "$CACHE/tmp"
		(root arm64-deb && cp "$ROOT/usr/bin/qemu-aarch64" "$CACHE/tmp/$name")
		trap 'root_emulated_end' EXIT
		trap 'exit 143' TERM
		[ -e "$registry/register" ] || mount -t binfmt_misc binfmt_misc "$registry"
		# The number and its mask match the header of an ELF program for arm64. With the
		# flag F, the kernel opens QEMU now, so the root need not contain QEMU. With the
		# flag P, the kernel passes argv[0] on.
		number='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
		mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
		printf '%s' ":$name:M::$number:$mask:$CACHE/tmp/$name:FP" >"$registry/register"
		"${@:2}"
	)
}

# root_emulated_end: undoes what root_emulated did before it ran CMD
root_emulated_end()
{
	[ ! -e "$registry/$name" ] || echo -1 >"$registry/$name"
	rm -f "$CACHE/tmp/$name"
}

# root_scratch NAME CMD...: runs CMD in a writable copy of the root NAME, with the host's network.
# CMD sees the tree, read-only, at its own path. Removes the copy, and returns the status of CMD.
# apt's downloads stay in the cache.
root_scratch()
{
	local copy=$CACHE/tmp/scratch.$$ archives rc=0
	root "$1"
	archives=$CACHE/apt/$(root_suite "$1")/cache/archives
	rm -rf --one-file-system "$copy"
	cp -a --reflink=auto "$ROOT" "$copy"
	root_emulated "$1" unshare --mount --propagation private "$LAB/lib/enter" \
		-s "$TREE" "$archives" "$copy" "${@:2}" || rc=$?
	rm -rf --one-file-system "$copy"
	return "$rc"
}
