# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# libibverbs of the next Debian, which has another version of the provider interface, and this
# tree's provider for that version. This libibverbs runs with the C library of the guests.
# shellcheck shell=bash

NEXT_VERBS_PACKAGES=(libibverbs1 libibverbs-dev librdmacm1t64)
NEXT_VERBS_SUITE=forky

# next_verbs_build: sets NEXT_VERBS to a folder. Its folder lib contains libibverbs.so.1 and
# librdmacm.so.1, and its folder build contains the provider, built from utils/provider.
next_verbs_build()
{
	local versions libraries=$TREE/build/next-verbs
	suite_lists "$NEXT_VERBS_SUITE"
	mapfile -t versions < <(suite_versions "$NEXT_VERBS_SUITE" "${NEXT_VERBS_PACKAGES[@]}")
	NEXT_VERBS=$CACHE/verbs/$(key "${versions[@]}")
	with_lock verbs next_verbs_fetch "${versions[@]}"
	rm -rf "$libraries"
	mkdir -p "$libraries"
	cp -a "$NEXT_VERBS/include" "$NEXT_VERBS/lib" "$libraries/"
	root_tool
	step "provider for the next libibverbs" root_enter "$ROOT" \
		"$TREE/selftests/cmake" "$TREE/utils/provider" "$libraries/build" \
		"-DIBVERBS_INCLUDE=$libraries/include" \
		"-DIBVERBS_LIBRARY=$libraries/lib/libibverbs.so"
	NEXT_VERBS=$libraries
}

# next_verbs_fetch: makes the cache entry NEXT_VERBS, with the headers and libraries of each PACKAGE
next_verbs_fetch() # PACKAGE=VERSION...
{
	entry_whole "$NEXT_VERBS" && return
	step "libibverbs of $NEXT_VERBS_SUITE" entry_make "$NEXT_VERBS" next_verbs_unpack "$@"
	entries_prune "$CACHE/verbs/*" "$NEXT_VERBS"
}

# next_verbs_unpack: downloads the packages, and puts their headers and libraries into the new
# folder NEW
next_verbs_unpack() # PACKAGE=VERSION... NEW
{
	local new=${*: -1} deb
	mkdir -p "$new/tree"
	suite_download "$NEXT_VERBS_SUITE" "$new/debs" "${@:1:$#-1}"
	for deb in "$new"/debs/*.deb; do
		dpkg-deb -x "$deb" "$new/tree"
	done
	mv "$new/tree/usr/include" "$new/include"
	mkdir "$new/lib"
	cp -a "$new"/tree/usr/lib/*/lib{ibverbs,rdmacm}.so* "$new/lib/"
	rm -r "$new/tree" "$new/debs"
}
