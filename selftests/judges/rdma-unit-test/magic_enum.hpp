// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
//
// The suite includes magic_enum.hpp, which Debian installs as magic_enum/magic_enum.hpp. The suite
// passes the names of enumerators to Abseil, so the names must have Abseil's type string_view.

#pragma once

#include "absl/strings/string_view.h"

#define MAGIC_ENUM_USING_ALIAS_STRING_VIEW using string_view = absl::string_view;
#include <magic_enum/magic_enum.hpp>
