// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
//
// Debian has magic_enum.hpp in a folder. The suite passes the names of enumerators to Abseil, which
// needs its own type.

#pragma once

#include "absl/strings/string_view.h"

#define MAGIC_ENUM_USING_ALIAS_STRING_VIEW using string_view = absl::string_view;
#include <magic_enum/magic_enum.hpp>
