// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Golden frames from a file (selftests/vectors/wire.tsv), with values replaced by those of a
// live endpoint.
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
    std::string expect;  // accept, rejected, close or terminate:..., possibly followed by more
    Octets terminate;    // the expected answer, if any
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

// Values in the file, and the values of this endpoint that replace them.
struct Translation {
    std::map<uint64_t, uint64_t> stag, to, id;

    // Replaces the values everywhere in the FPDU, including the returned part of a Terminate. A
    // correct CRC stays correct, and a wrong CRC stays wrong.
    Octets apply(const Octets &fpdu) const;
};

} // namespace xiw::peer
