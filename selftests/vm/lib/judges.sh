# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Programs and test suites of other projects, from Debian's packages, from Debian's source code, or
# from the repositories of the projects.
# shellcheck shell=bash

# For each suite that Debian lacks: the repository, the commit, and the folder with this tree's
# additions. The commit is fixed, so that the results of two runs can be compared. XIW_JUDGES may
# name a folder with clones of the repositories, for a machine that cannot reach GitHub.
declare -A JUDGE_GIT=([blktests]=https://github.com/linux-blktests/blktests
	[rdma-unit-test]=https://github.com/google/rdma-unit-test)
declare -A JUDGE_COMMIT=([blktests]=a608cb56341e0f4cacf473f5e0ac6052f1f12de9
	[rdma-unit-test]=1f368ab3324e4ffa6751175a3e8c74b0bd1c12ee)
declare -A JUDGE_OURS=([blktests]=$TREE/docs/upstream/blktests
	[rdma-unit-test]=$TREE/selftests/judges/rdma-unit-test)
# For each program or suite, the packages whose versions are part of its key in the cache. The
# packages of nfstest and blktests are also unpacked for the guest.
declare -A JUDGE_PACKAGES=([valkey]='valkey-server librdmacm-dev' [fabtests]=libfabric-dev
	[nfstest]='nfstest nfs4-acl-tools'
	[blktests]='gawk bsdextrautils libmpfr6 libgmp10 libsigsegv2 libreadline8t64'
	[rdma-unit-test]="libibverbs-dev ${SUITE_PACKAGES[*]}")
FABTESTS_PACKAGES=(autoconf automake libtool libfabric-dev)

# judge_names: prints the names that judge_source accepts, one on each line
judge_names() { printf '%s\n' kselftests "${!JUDGE_GIT[@]}" "${!JUDGE_PACKAGES[@]}" | sort -u; }

# judge_source DIR NAME: puts the program or suite NAME into DIR/NAME, and builds it unless the
# cache has it. NAME is kselftests (the kernel's selftests for RDMA), or another name that
# judge_names prints.
judge_source()
{
	local versions=() packages
	if [ "$2" = kselftests ]; then
		kernel_source kselftests "linux-source-$K_SERIES/tools/testing/selftests/rdma" \
			"linux-source-$K_SERIES/tools/testing/selftests/kselftest"
	else
		suite_lists trixie
		read -ra packages <<<"${JUDGE_PACKAGES[$2]-}"
		[ ${#packages[@]} -eq 0 ] ||
			mapfile -t versions < <(suite_versions trixie "${packages[@]}")
		SOURCE=$CACHE/judges/$2-$(key "${versions[@]}" ${JUDGE_GIT[$2]:+"${JUDGE_COMMIT[$2]}" \
			"$(cat "${JUDGE_OURS[$2]}"/*)"})
		with_lock "judges-$2" judge_make "$2"
	fi
	cp -r "$SOURCE" "$1/$2"
}

# judge_make NAME: makes the entry SOURCE for the program or suite NAME, and removes its older
# entries
judge_make() # NAME
{
	entry_whole "$SOURCE" && return
	step "$1 from its source" entry_make "$SOURCE" "judge_${1//-/_}"
	entries_prune "$CACHE/judges/$1-*" "$SOURCE"
}

# judge_clone NAME DIR: clones the repository of the suite NAME into DIR, and checks out the fixed
# commit
judge_clone()
{
	local source=${JUDGE_GIT[$1]}
	[ -z "${XIW_JUDGES-}" ] || source=$XIW_JUDGES/$1
	git clone -q "$source" "$2"
	git -C "$2" checkout -q "${JUDGE_COMMIT[$1]}"
}

# judge_blktests NEW: compiles blktests in NEW, with the patches of docs/upstream/blktests. With
# these patches, the tests create RDMA links of the type $SOFT_RDMA. Unpacks into NEW/debian the
# programs that blktests runs.
judge_blktests()
{
	local patch
	judge_clone blktests "$1"
	for patch in "${JUDGE_OURS[blktests]}"/*.patch; do
		git -C "$1" apply "$patch"
	done
	rm -rf "$1/.git"
	root build
	(cd "$CACHE/tmp" && root_enter "$ROOT" make -s -C "$1" -j2)
	mkdir "$1/debian"
	root_unpack trixie "${versions[@]}" "$1/debian"
}

# judge_rdma_unit_test NEW: compiles the suite into NEW. It does not use the suite's build system,
# Bazel, which would download libraries. The suite assumes that std::string_view is
# absl::string_view. These types differ in Debian's Abseil, which is compiled as C++14, so the
# function changes the sources.
judge_rdma_unit_test()
{
	judge_clone rdma-unit-test "$1.source"
	sed -i 's/std::string_view/absl::string_view/; s/<string_view>/"absl\/strings\/string_view.h"/' \
		"$1.source"/{internal,public}/*.{cc,h}
	mkdir "$1"
	root_suites
	(cd "$CACHE/tmp" &&
		root_enter "$ROOT" cmake -G Ninja -S "${JUDGE_OURS[rdma-unit-test]}" -B "$1.build" \
			-DSUITE="$1.source" &&
		root_enter "$ROOT" ninja -C "$1.build" -j2)
	strip -o "$1/rdma-unit-test" "$1.build/rdma-unit-test"
	rm -rf "$1.source" "$1.build"
}

# judge_valkey NEW: compiles Valkey's server with RDMA, its client and its RDMA test program into
# NEW. Debian's package of the server has no RDMA.
judge_valkey()
{
	mkdir "$1" "$1.source"
	suite_source trixie valkey "$1.source"
	root_tool
	(cd "$CACHE/tmp" &&
		root_enter "$ROOT" make -s -j2 -C "$1.source/src" BUILD_RDMA=yes MALLOC=libc \
			OPTIMIZATION=-O1 valkey-server valkey-cli &&
		root_enter "$ROOT" make -s -C "$1.source/tests/rdma")
	cp "$1.source"/src/valkey-{server,cli} "$1.source/tests/rdma/rdma-test" "$1/"
	rm -rf "$1.source"
}

# judge_fabtests NEW: compiles libfabric's tests into NEW. The tests use the guest's libfabric,
# which has the same version.
judge_fabtests()
{
	mkdir -p "$1/bin" "$1.source"
	suite_source trixie libfabric "$1.source"
	root_layer build fabtests "$(key "${FABTESTS_PACKAGES[@]}")" \
		root_install "${FABTESTS_PACKAGES[@]}"
	# shellcheck disable=SC2016
	(cd "$CACHE/tmp" && root_enter "$ROOT" sh -c 'cd "$1" && ./autogen.sh &&
		./configure --quiet --prefix=/usr && make -s -j2 &&
		strip $(find . -type f -name "fi_*" -perm -u+x)' sh "$1.source/fabtests")
	find "$1.source/fabtests" -type f -name 'fi_*' -perm -u+x -exec cp -t "$1/bin" {} +
	cp -r "$1.source"/fabtests/{scripts,test_configs} "$1/"
	rm -rf "$1.source"
}

# judge_nfstest NEW: unpacks Debian's packages of nfstest into NEW. The guest copies the files to
# its disk.
judge_nfstest()
{
	mkdir "$1"
	root_unpack trixie "${versions[@]}" "$1"
}
