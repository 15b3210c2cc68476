# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Programs and suites of other projects that Debian packages only as a source, or not at all.
# shellcheck shell=bash

# A pinned commit, so that the results of two runs can be compared. XIW_BLKTESTS may name another
# repository with this commit, for a machine without a way to GitHub.
BLKTESTS=${XIW_BLKTESTS:-https://github.com/linux-blktests/blktests}
BLKTESTS_COMMIT=a608cb56341e0f4cacf473f5e0ac6052f1f12de9
# gives SOFT_RDMA to blktests: the type of the RDMA links that its tests create
BLKTESTS_PATCHES=$TREE/docs/upstream/blktests

# judges_build DIR WORD...: puts what the words name into DIR: blktests, kselftests, valkey
judges_build()
{
	local word source versions
	for word in "${@:2}"; do
		case $word in
		valkey)
			suite_lists trixie
			mapfile -t versions < <(suite_versions trixie valkey-server librdmacm-dev)
			source=$CACHE/judges/valkey-$(key "${versions[@]}")
			with_lock judges valkey_make "$source"
			cp -r "$source" "$1/valkey" ;;
		blktests)
			source=$CACHE/judges/blktests-$(key "$BLKTESTS_COMMIT" "$(cat "$BLKTESTS_PATCHES"/*.patch)")
			with_lock judges blktests_make "$source"
			cp -r "$source" "$1/blktests" ;;
		kselftests)
			kernel_source kselftests "linux-source-$K_SERIES/tools/testing/selftests/rdma" \
				"linux-source-$K_SERIES/tools/testing/selftests/kselftest" \
				"linux-source-$K_SERIES/tools/testing/selftests/net/lib.sh"
			cp -r "$SOURCE" "$1/kselftests" ;;
		esac
	done
}

blktests_make() # ENTRY
{
	entry_whole "$1" && return
	step "blktests" entry_make "$1" blktests_fetch
	entries_prune "$CACHE/judges/blktests-*" "$1"
}

# blktests_fetch NEW: the programs of blktests are linked statically where they can be, because they
# run in another root
blktests_fetch()
{
	local patch
	git clone -q "$BLKTESTS" "$1"
	git -C "$1" checkout -q "$BLKTESTS_COMMIT"
	for patch in "$BLKTESTS_PATCHES"/*.patch; do
		git -C "$1" apply "$patch"
	done
	rm -rf "$1/.git"
	root build
	(cd "$CACHE/tmp" && root_enter "$ROOT" make -s -C "$1" -j2)
}

valkey_make() # ENTRY
{
	entry_whole "$1" && return
	step "Valkey with RDMA" entry_make "$1" valkey_compile
	entries_prune "$CACHE/judges/valkey-*" "$1"
}

# valkey_compile NEW: compiles the server with RDMA, and its own test program. Debian's package of
# the server has no RDMA.
valkey_compile()
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
