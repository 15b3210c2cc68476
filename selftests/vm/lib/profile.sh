# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# What lab run --profile and lab run --sharing need: a QEMU plugin, and the programs xiw-mark and
# xiw-second. The plugin counts the executed instructions (--profile), or the stores to shared cache
# lines (--sharing). A guest runs xiw-mark at the start and at the end of the code to count, or
# xiw-second to count for a second.
# shellcheck shell=bash

# profile_build NAME: builds the plugin NAME.cpp and the programs, and sets PROFILE_PLUGIN to the
# path of the plugin
profile_build()
{
	local from=$TREE/selftests/bench/profile to=$TREE/build/profile
	local programs=$TREE/build/guest/profile program
	PROFILE_PLUGIN=$to/$1.so
	mkdir -p "$to" "$programs"
	root build
	# QEMU's root has no C++ library, so link this library statically.
	root_enter "$ROOT" g++ -std=c++20 -O2 -Wall -Wextra -Werror -fPIC -shared \
		-fvisibility=hidden -static-libstdc++ -static-libgcc \
		-o "$PROFILE_PLUGIN" "$from/$1.cpp"
	for program in mark second; do
		root_enter "$ROOT" gcc -nostdlib -static -o "$programs/xiw-$program" \
			"$from/$program.S"
	done
}
