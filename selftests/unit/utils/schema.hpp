// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_SCHEMA_HPP
#define TEST_SCHEMA_HPP

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace test {

// Validate a document against a JSON schema, and return the violations. The list is empty if the
// document is valid. The function supports the keywords that the schema of xiw uses. It reports any
// other keyword as a violation.
std::vector<std::string> violations(const nlohmann::json &schema, const nlohmann::json &document);

// Return the schema that the tool prints.
nlohmann::json tool_schema();

} // namespace test

#endif
