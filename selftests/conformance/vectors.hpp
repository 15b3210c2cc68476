// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Golden frames from a file (selftests/vectors/wire.tsv), and their values changed to
// those that a live endpoint has.
#pragma once

#include "octets.hpp"

#include <map>
#include <vector>

namespace xiw::peer {

struct Vector {
    std::string id;
    Octets octets;
    bool startup = false;
    bool marked = false; // has a marker inside
    std::string expect;  // accept, rejected, close or terminate:..., with more behind
    Octets terminate;    // the answer, if there is one
};

class Vectors {
  public:
    // Throws std::runtime_error.
    static Vectors read(const std::string &file);

    const Vector &at(std::string_view id) const;
    const std::vector<Vector> &all() const { return rows_; }

  private:
    std::vector<Vector> rows_;
};

// Values of the file and what they stand for at this endpoint.
struct Translation {
    std::map<uint64_t, uint64_t> stag, to, id;

    // Everywhere in the FPDU, also in what a Terminate returns. The CRC stays right, or wrong.
    Octets apply(const Octets &fpdu) const;
};

} // namespace xiw::peer
