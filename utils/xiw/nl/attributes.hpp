// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_NL_ATTRIBUTES_HPP
#define XIW_NL_ATTRIBUTES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct nlattr;

namespace xiw::nl {

using Bytes = std::span<const std::byte>;

// A checked view of netlink attributes. It does not own the bytes. Unknown attributes are
// ignored, so that an older tool can read messages of a newer kernel.
class Attributes {
  public:
    Attributes() = default;

    // Throws Malformed if the bytes are not a sequence of whole attributes.
    explicit Attributes(Bytes bytes);

    bool has(uint16_t type) const { return find(type) != nullptr; }

    // Get an unsigned number of 1, 2, 4 or 8 octets: the kernel may widen a field.
    std::optional<uint64_t> number(uint16_t type) const;
    // Like number(), but throws Malformed if the attribute is missing.
    uint64_t required(uint16_t type) const;
    std::optional<std::string> text(uint16_t type) const;
    std::optional<Bytes> bytes(uint16_t type) const;
    std::optional<Attributes> nest(uint16_t type) const;
    std::vector<Attributes> nests(uint16_t type) const;
    // Get the nests of an array. The type of each nest is its index.
    std::vector<Attributes> all_nests() const;

    // An attribute that contains a number. numbers() returns all such attributes, also those of
    // unknown types.
    struct Number {
        uint16_t type;
        uint64_t value;
    };
    std::vector<Number> numbers() const;

  private:
    const nlattr *find(uint16_t type) const;

    std::vector<const nlattr *> list_;
};

} // namespace xiw::nl

#endif
