// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_MODEL_SPEC_HPP
#define XIW_MODEL_SPEC_HPP

#include "model/model.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace xiw {

// A row of selftests/requirements.tsv, with the results of selftests/spec-coverage at build
// time.
struct SpecRow {
    const char *id;
    const char *level;
    const char *source;
    const char *reason; // reason for having no test
    const char *tests;  // separated by tabs
};
extern const SpecRow spec_rows[];
extern const std::size_t spec_row_count;

// A filter for requirements; empty fields match all.
struct SpecFilter {
    std::vector<std::string> ids; // or their prefixes
    std::string document;         // "RFC7306", "7306", "iba"
    std::string section;          // including its subsections
    std::string level;
    bool untested = false;
};
// Throws Error if the filter can never match.
std::vector<Requirement> requirements(const SpecFilter &filter);

} // namespace xiw

#endif
