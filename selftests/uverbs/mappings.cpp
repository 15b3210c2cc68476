// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "session.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace uverbs {

Mappings::~Mappings() {
    for (const auto &area : areas_)
        munmap(area.at, area.length);
}

void Mappings::map(Session &session, Random &random, Tally &tally) {
    static constexpr int protections[] = {PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE,
                                          PROT_READ | PROT_EXEC, PROT_NONE};
    const auto page = static_cast<uint64_t>(getpagesize());
    const auto offer = session.offer(random);
    uint64_t key = offer ? offer->key : random.odd() * page;
    size_t length = offer ? offer->length : page;

    if (random.once_in(4))
        key = random.odd() / page * page;
    if (random.once_in(4))
        length = (1 + random.below(64)) * page;
    const int protection = protections[random.once_in(3) ? random.below(5) : 0];
    const int flags = random.once_in(6) ? MAP_PRIVATE : MAP_SHARED;
    void *at = mmap(nullptr, length, protection, flags, session.file(), static_cast<off_t>(key));
    tally.count("map", at != MAP_FAILED);
    if (at != MAP_FAILED)
        areas_.push_back(
            {static_cast<uint32_t *>(at), length, protection == (PROT_READ | PROT_WRITE)});
}

void Mappings::scribble(Random &random) {
    const auto &area = areas_[random.below(areas_.size())];

    if (!area.writable)
        return;
    // Half of the writes go to the first 32 words, which contain the indexes. The other words are
    // slots.
    for (auto n = random.below(16); n > 0; --n) {
        const auto words = random.once_in(2) ? 32 : area.length / sizeof(uint32_t);
        static_cast<volatile uint32_t *>(area.at)[random.below(words)] =
            static_cast<uint32_t>(random.odd());
    }
}

void Mappings::step(Session &session, Random &random, Tally &tally) {
    if (areas_.empty() || (areas_.size() < 32 && random.once_in(3)))
        return map(session, random, tally);
    if (!random.once_in(8))
        return scribble(random);
    const auto which = random.below(areas_.size());
    auto &area = areas_[which];
    if (random.once_in(3)) {
        // Keep the size, or double or triple it. mremap() may move the mapping, or fail.
        const auto length = area.length * (1 + random.below(3));
        void *at = mremap(area.at, area.length, length, MREMAP_MAYMOVE);
        tally.count("remap", at != MAP_FAILED);
        if (at != MAP_FAILED)
            munmap(at, length);
        else
            munmap(area.at, area.length);
    } else {
        munmap(area.at, area.length);
    }
    areas_.erase(areas_.begin() + static_cast<std::ptrdiff_t>(which));
}

} // namespace uverbs
