// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#pragma once

#include <string>

namespace uverbs {

/** The uverbs file of a device. @throws std::runtime_error when it has none */
std::string file_of(const std::string &device);

} // namespace uverbs
