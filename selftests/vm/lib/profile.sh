# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# What lab run --profile needs: QEMU's plugin that counts instructions, and the program xiw-mark. A
# guest runs xiw-mark at the start and at the end of the code to count.
# shellcheck shell=bash

# profile_build: builds the plugin and xiw-mark, and sets PROFILE_PLUGIN to the path of the plugin
profile_build()
{
	local from=$TREE/selftests/bench/profile to=$TREE/build/profile
	local mark=$TREE/build/guest/profile/xiw-mark
	PROFILE_PLUGIN=$to/profile.so
	mkdir -p "$to" "${mark%/*}"
	root build
	# QEMU's root has no C++ library, so link this library statically.
	root_enter "$ROOT" g++ -std=c++20 -O2 -Wall -Wextra -Werror -fPIC -shared \
		-fvisibility=hidden -static-libstdc++ -static-libgcc \
		-o "$PROFILE_PLUGIN" "$from/plugin.cpp"
	root_enter "$ROOT" gcc -nostdlib -static -o "$mark" "$from/mark.S"
}
