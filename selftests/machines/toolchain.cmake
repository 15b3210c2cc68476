# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# Debian's cross compiler for the architecture in the environment variable XIW_PROCESSOR. The
# libraries of this architecture are installed beside those of the build machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $ENV{XIW_PROCESSOR})
set(CMAKE_C_COMPILER $ENV{XIW_PROCESSOR}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER $ENV{XIW_PROCESSOR}-linux-gnu-g++)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/$ENV{XIW_PROCESSOR}-linux-gnu/pkgconfig:/usr/share/pkgconfig)
# The shared libraries depend on further shared libraries that are not installed. So accept
# undefined symbols in shared libraries.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)
set(CMAKE_CROSSCOMPILING_EMULATOR $ENV{XIW_EMULATOR})
