// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_SPEC_HPP
#define XIW_MODEL_SPEC_HPP

#include "model/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace xiw {

// A row of selftests/requirements.tsv, with what selftests/spec-coverage found to it when
// the tool was built.
struct SpecRow {
    const char *id;
    const char *level;
    const char *source;
    const char *reason; // to have no test
    const char *tests;  // with tabs between
};
extern const SpecRow spec_rows[];
extern const std::size_t spec_row_count;

// Which requirements are asked for; what is empty lets all pass.
struct SpecFilter {
    std::vector<std::string> ids; // or how they begin
    std::string document;         // "RFC7306", "7306", "iba"
    std::string section;          // with all below it
    std::string level;
    bool untested = false;
};
// Throws Error if no requirement can ever match.
std::vector<Requirement> requirements(const SpecFilter &filter);

} // namespace xiw

#endif
