// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#pragma once

#include <string>

namespace test {

/**
 * The path of a file of this tree.
 * @param file as seen from the top, with a slash in front
 */
std::string in_tree(const std::string &file);

/** The path of the program xiw. */
std::string program();

} // namespace test
