# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Programs and suites of other projects that Debian has only as a source.
# shellcheck shell=bash

# judge_source DIR NAME: puts kselftests (the kernel's selftests for RDMA) or valkey into DIR/NAME
judge_source()
{
	local versions
	case $2 in
	kselftests)
		kernel_source kselftests "linux-source-$K_SERIES/tools/testing/selftests/rdma" \
			"linux-source-$K_SERIES/tools/testing/selftests/kselftest" ;;
	valkey)
		suite_lists trixie
		mapfile -t versions < <(suite_versions trixie valkey-server librdmacm-dev)
		SOURCE=$CACHE/judges/valkey-$(key "${versions[@]}")
		with_lock judges valkey_make ;;
	esac
	cp -r "$SOURCE" "$1/$2"
}

valkey_make()
{
	entry_whole "$SOURCE" && return
	step "Valkey with RDMA" entry_make "$SOURCE" valkey_compile
	entries_prune "$CACHE/judges/valkey-*" "$SOURCE"
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
