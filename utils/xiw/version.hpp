// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_VERSION_HPP
#define XIW_VERSION_HPP

namespace xiw {

// From the file VERSION at the top of the tree.
inline constexpr const char *version = XIW_VERSION;

} // namespace xiw

#endif
