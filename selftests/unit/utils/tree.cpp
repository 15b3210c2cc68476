// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "tree.hpp"

namespace test {

std::string in_tree(const std::string &file) {
    return XIW_TOP + file;
}

std::string program() {
    return XIW_BINARY;
}

} // namespace test
