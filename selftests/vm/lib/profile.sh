# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# lab run --profile: builds the plugin of QEMU that counts instructions, and the program by which a
# guest marks the code to count.
# shellcheck shell=bash

# profile_build: sets PROFILE_PLUGIN
profile_build()
{
	local from=$TREE/selftests/bench/profile to=$TREE/build/profile
	local mark=$TREE/build/guest/profile/xiw-mark
	PROFILE_PLUGIN=$to/profile.so
	mkdir -p "$to" "${mark%/*}"
	root build
	# QEMU's root has no C++ library, so link it statically.
	root_enter "$ROOT" g++ -std=c++20 -O2 -Wall -Wextra -Werror -fPIC -shared \
		-fvisibility=hidden -static-libstdc++ -static-libgcc \
		-o "$PROFILE_PLUGIN" "$from/plugin.cpp"
	root_enter "$ROOT" gcc -nostdlib -static -o "$mark" "$from/mark.S"
}
