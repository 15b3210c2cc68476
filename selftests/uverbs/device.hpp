// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#pragma once

#include <string>

namespace uverbs {

/** Get the name of a device's uverbs file. @throws std::runtime_error if there is no such file */
std::string file_of(const std::string &device);

} // namespace uverbs
