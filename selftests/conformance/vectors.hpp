// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Golden frames from a file (selftests/vectors/wire.tsv). Some values of a frame are replaced by
// the values of the tested endpoint.
#pragma once

#include "octets.hpp"

#include <map>
#include <vector>

namespace xiw::peer {

struct Vector {
    std::string id;
    Octets octets;
    bool startup = false;
    bool marked = false; // the FPDU contains a marker
    std::string expect;  // accept, rejected, close or terminate:..., and possibly further text
    Octets terminate;    // the expected Terminate, if any
};

class Vectors {
  public:
    // Throws std::runtime_error if the file cannot be read, or if a row does not have seven
    // columns.
    static Vectors read(const std::string &file);

    const Vector &at(std::string_view id) const;
    const std::vector<Vector> &all() const { return rows_; }

  private:
    std::vector<Vector> rows_;
};

// Maps values in the file to the values of the tested endpoint that replace them.
struct Translation {
    std::map<uint64_t, uint64_t> stag, to, id;

    // Replaces the values everywhere in the FPDU, including the headers that a Terminate contains.
    // If the CRC of the FPDU is correct, recalculates it. An incorrect CRC stays unchanged.
    Octets apply(const Octets &fpdu) const;
};

} // namespace xiw::peer
