// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_SCHEMA_HPP
#define TEST_SCHEMA_HPP

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace test {

// Validates a document against a JSON schema and returns the error; empty if it is valid.
// Supports the keywords that the schema of xiw uses. Any other keyword is an error, so that none is
// ignored.
std::vector<std::string> violations(const nlohmann::json &schema, const nlohmann::json &document);

// Get the schema in the tree.
nlohmann::json tool_schema();

} // namespace test

#endif
