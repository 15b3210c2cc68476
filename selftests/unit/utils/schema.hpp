// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_SCHEMA_HPP
#define TEST_SCHEMA_HPP

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace test {

// What is wrong with a document, by a JSON schema; empty if nothing is. Knows
// the keywords that our schema uses; any other is an error too, so that none
// is ever thought to be checked that is not.
std::vector<std::string> violations(const nlohmann::json &schema, const nlohmann::json &document);

// Of the file in the tree.
nlohmann::json tool_schema();

} // namespace test

#endif
