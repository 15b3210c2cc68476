// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "doctor/ruleset.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace xiw::doctor {

namespace {

using nlohmann::json;

enum class Match { no, perhaps, yes };
enum class Fate { accept, drop, leave, none }; // leave: return to the chain that jumped

constexpr int depth_most = 16; // nft itself refuses loops, and more than this

Match both(Match a, Match b) {
    return std::min(a, b);
}

// Evaluates the rules like the kernel. If a condition cannot be evaluated, it may hold or not:
// then an accept is noted, and the evaluation continues.
class Walk {
  public:
    Walk(const json &entries, uint16_t port, const json &base)
        : entries_(entries), port_(port), family_(base.at("family")), table_(base.at("table")) {}

    Passage through(const json &base) {
        Fate end = chain(base.at("name"), true, 0);
        if (end == Fate::none || end == Fate::leave)
            end = base.value("policy", "accept") == "drop" ? Fate::drop : Fate::accept;
        if (end == Fate::accept)
            return Passage::open;
        return perhaps_ ? Passage::conditional : Passage::closed;
    }

  private:
    const json &entries_;
    const uint16_t port_;
    const std::string family_;
    const std::string table_;
    bool perhaps_ = false; // some accept may apply

    bool here(const json &object) const {
        return object.value("family", "") == family_ && object.value("table", "") == table_;
    }

    Fate chain(const std::string &name, bool sure, int depth) {
        if (depth > depth_most)
            return Fate::none;
        for (const json &entry : entries_) {
            const auto rule = entry.find("rule");
            if (rule == entry.end() || !here(*rule) || rule->value("chain", "") != name)
                continue;
            const Fate verdict = one(rule->at("expr"), sure, depth);
            if (verdict != Fate::none)
                return verdict;
        }
        return Fate::none;
    }

    // Evaluate one rule: its statements from left to right, as long as their conditions hold.
    Fate one(const json &statements, bool sure, int depth) {
        Match match = sure ? Match::yes : Match::perhaps;
        for (const json &statement : statements) {
            const std::string word = statement.is_object() && statement.size() == 1
                                         ? statement.begin().key()
                                         : std::string();
            const json &value = word.empty() ? statement : statement.begin().value();
            if (word == "match")
                match = both(match, holds(value));
            else if (word == "vmap")
                return map(value, match, depth);
            else if (const auto verdict = decide(word, value, match, depth))
                return *verdict;
            else if (!passive(word))
                match = both(match, Match::perhaps); // limit, xt and any others
            if (match == Match::no)
                return Fate::none;
        }
        return Fate::none;
    }

    // Statements that change nothing for the packet.
    static bool passive(const std::string &word) {
        return word == "counter" || word == "log" || word == "mangle" || word == "notrack";
    }

    // If the word is a verdict, return its effect.
    std::optional<Fate> decide(const std::string &word, const json &value, Match match, int depth) {
        const bool sure = match == Match::yes;
        if (word == "accept" || word == "queue") {
            perhaps_ = perhaps_ || !sure || word == "queue";
            return sure && word == "accept" ? Fate::accept : Fate::none;
        }
        if (word == "drop" || word == "reject")
            return sure ? Fate::drop : Fate::none;
        if (word == "return")
            return sure ? Fate::leave : Fate::none;
        if (word == "jump" || word == "goto") {
            const Fate there = chain(value.at("target"), sure, depth + 1);
            if (there == Fate::accept && !sure)
                perhaps_ = true;
            if (!sure)
                return Fate::none;
            if (there == Fate::accept || there == Fate::drop)
                return there;
            return word == "goto" ? Fate::leave : Fate::none;
        }
        return std::nullopt;
    }

    // key vmap { value : verdict, ... }
    Fate map(const json &vmap, Match match, int depth) {
        const json &data = vmap.at("data");
        if (!data.is_object() || !data.contains("set")) { // a named map
            perhaps_ = true;
            return Fate::none;
        }
        for (const json &pair : data.at("set")) {
            const Match here = both(match, within(vmap.at("key"), pair.at(0)));
            if (here == Match::no)
                continue;
            const json &verdict = pair.at(1);
            const auto end =
                verdict.is_object() && verdict.size() == 1
                    ? decide(verdict.begin().key(), verdict.begin().value(), here, depth)
                    : std::nullopt;
            if (here == Match::yes)
                return end.value_or(Fate::none);
        }
        return Fate::none;
    }

    // For a field of UDP and others, nft does not print that the packet must be UDP.
    static bool foreign(const json &left) {
        if (!left.is_object() || !left.contains("payload") || !left["payload"].is_object())
            return false;
        const std::string protocol = left["payload"].value("protocol", "");
        return protocol == "udp" || protocol == "udplite" || protocol == "sctp" ||
               protocol == "dccp" || protocol == "icmp" || protocol == "icmpv6";
    }

    Match holds(const json &match) const {
        const std::string op = match.value("op", "");
        if (foreign(match.at("left")))
            return Match::no;
        const Match in = within(match.at("left"), match.at("right"));
        if (op == "==" || op == "in")
            return in;
        if (op == "!=" && in != Match::perhaps)
            return in == Match::yes ? Match::no : Match::yes;
        return Match::perhaps;
    }

    // Is the packet's value among these values?
    Match within(const json &left, const json &right) const {
        if (left == json{{"payload", {{"protocol", "tcp"}, {"field", "dport"}}}} ||
            left == json{{"payload", {{"protocol", "th"}, {"field", "dport"}}}})
            return number(right);
        if (left == json{{"meta", {{"key", "l4proto"}}}})
            return word(right, "tcp");
        if (left == json{{"ct", {{"key", "state"}}}})
            return word(right, "new");
        if (left == json{{"meta", {{"key", "iifname"}}}} ||
            left == json{{"meta", {{"key", "iif"}}}})
            return right == json("lo") ? Match::no : Match::perhaps;
        return Match::perhaps;
    }

    // An anonymous set; a list of flags means the same here.
    static const json *members(const json &value) {
        if (value.is_object() && value.contains("set"))
            return &value["set"];
        return value.is_array() ? &value : nullptr;
    }

    const json *named(const json &value) const {
        if (!value.is_string() || !value.get_ref<const std::string &>().starts_with('@'))
            return nullptr;
        const std::string name = value.get<std::string>().substr(1);
        for (const json &entry : entries_) {
            const auto set = entry.find("set");
            if (set != entry.end() && here(*set) && set->value("name", "") == name)
                return &*set;
        }
        return nullptr;
    }

    Match number(const json &value) const {
        if (value.is_number_integer())
            return value == port_ ? Match::yes : Match::no;
        if (value.is_object() && value.contains("range"))
            return value["range"].at(0) <= port_ && value["range"].at(1) >= port_ ? Match::yes
                                                                                  : Match::no;
        if (value.is_object() && value.contains("elem"))
            return number(value["elem"].at("val"));
        if (const json *set = named(value))
            return set->contains("elem") ? number((*set)["elem"]) : Match::no;
        if (const json *list = members(value)) {
            Match any = Match::no;
            for (const json &member : *list)
                any = std::max(any, number(member));
            return any;
        }
        return Match::perhaps;
    }

    static Match word(const json &value, const char *want) {
        if (value.is_string())
            return value == want ? Match::yes : Match::no;
        if (const json *list = members(value)) {
            Match any = Match::no;
            for (const json &member : *list)
                any = std::max(any, word(member, want));
            return any;
        }
        return Match::perhaps;
    }
};

} // namespace

std::vector<Gate> gates(const std::string &ruleset, uint16_t port) {
    const json document = json::parse(ruleset);
    const json &entries = document.at("nftables");
    static_cast<void>(entries.get_ref<const json::array_t &>()); // throws if it is not an array
    std::vector<Gate> found;
    for (const json &entry : entries) {
        const auto chain = entry.find("chain");
        if (chain == entry.end() || chain->value("hook", "") != "input" ||
            chain->value("type", "") != "filter")
            continue;
        const std::string family = chain->at("family");
        if (family != "ip" && family != "ip6" && family != "inet")
            continue;
        Walk walk(entries, port, *chain);
        found.push_back({fmt::format("{} {} {}", family, chain->at("table").get<std::string>(),
                                     chain->at("name").get<std::string>()),
                         walk.through(*chain)});
    }
    return found;
}

} // namespace xiw::doctor
