// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_EXPLAIN_HPP
#define XIW_MODEL_EXPLAIN_HPP

#include "model/model.hpp"

#include <string_view>
#include <vector>

namespace xiw {

// Get the possible meanings of a code; empty if there are none. The code is one of:
//   - a Terminate code: "0/2/0x07", or 0x207 as in vendor_err of a completion and in tables
//   - the name or number of an errno
//   - the name (with or without IB_WC_) or number of a work completion status
std::vector<Explanation> explain(std::string_view code);

// Get the name of a work completion status, such as "REM_ACCESS_ERR".
std::string completion_word(uint64_t status);

// Get all codes that have explanations.
std::vector<Explanation> explain_all();

} // namespace xiw

#endif
