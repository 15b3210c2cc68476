// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "verb.hpp"

#include "scenario.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace xiw::peer {

namespace {

std::vector<Verb> gather() {
    std::vector<Verb> all;

    for (std::span<const Verb> group :
         {link_verbs(), send_verbs(), expect_verbs(), control_verbs(), fuzz_verbs()})
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

} // namespace

std::string Call::word(size_t index, std::string_view otherwise) const {
    return index < words.size() ? words[index] : std::string(otherwise);
}

std::string Call::key(std::string_view name, std::string_view otherwise) const {
    auto found = keys.find(name);

    return found == keys.end() ? std::string(otherwise) : found->second;
}

std::span<const Verb> verbs() {
    static const std::vector<Verb> all = gather();

    return all;
}

const Verb *verb_named(std::string_view name) {
    auto found = std::ranges::find(verbs(), name, &Verb::name);

    return found == verbs().end() ? nullptr : &*found;
}

std::string verb_check(const Verb &verb, const std::vector<std::string> &words) {
    std::vector<std::string> plain, keys;
    std::string key, value;

    for (const std::string &word : words) {
        if (!verb.raw && is_assignment(word, key, value))
            keys.push_back(key);
        else
            plain.push_back(word);
    }
    if (plain.size() < verb.least)
        return fmt::format("{} needs more words", verb.name);
    if (plain.size() > verb.most)
        return fmt::format("'{}' is too much", plain[verb.most]);
    for (const std::string &k : keys)
        if (verb.accepts == nullptr || !verb.accepts(plain, k))
            return fmt::format("{} {} does not take {}=", verb.name, fmt::join(plain, " "), k);
    return {};
}

Call verb_call(const Verb &verb, const std::vector<std::string> &words, const Keys &variables) {
    Call call;
    std::string key, value;

    for (const std::string &word : words) {
        if (!verb.raw && is_assignment(word, key, value))
            call.keys[key] = substitute(value, variables);
        else
            call.words.push_back(substitute(word, variables));
    }
    return call;
}

} // namespace xiw::peer
