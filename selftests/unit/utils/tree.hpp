// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#pragma once

#include <string>

namespace test {

/**
 * Return the path of a file of this tree.
 * @param file path below the top of the tree, with a leading slash
 */
std::string in_tree(const std::string &file);

/** Return the path of the program xiw. */
std::string program();

} // namespace test
