// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "fuzz.hpp"

#include "startup.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace xiw::peer {

namespace {

constexpr uint64_t SEGMENT = 1400; // max octets of payload; the FPDU fits into an Ethernet frame

std::string text(uint64_t value) {
    return std::to_string(value);
}

// ------------------------------------------------------------------ correct messages

class Speaker {
  public:
    Speaker(Chance &chance, const Target &target) : chance_(chance), target_(target) {}

    std::vector<Octets> frames;
    size_t answers = 0;

    void one() {
        switch (chance_.below(8)) {
        case 0:
            receive("send", payload(target_.receive));
            break;
        case 1:
            receive(chance_.one_in(2) ? "immediate" : "immediate-se",
                    {{"imm", text(chance_.any())}});
            break;
        case 2:
            receive("send-se", payload(target_.receive));
            break;
        case 3:
            read();
            break;
        case 4:
            atomic();
            break;
        case 5:
            answer();
            break;
        default:
            write();
        }
    }

  private:
    void say(std::string_view kind, const Keys &keys) {
        uint8_t queue = kind_named(kind)->queue;

        frames.push_back(build(kind, keys, target_.msn.at(queue)));
        if (!kind_named(kind)->tagged)
            target_.msn.at(queue)++;
    }

    Keys payload(uint64_t most) { return {{"data", hex(chance_.octets(chance_.below(most + 1)))}}; }

    void receive(std::string_view kind, const Keys &keys) {
        if (target_.receives == 0)
            return;
        target_.receives--;
        say(kind, keys);
    }

    // Adds a tagged message in segments. The last segment has L=1.
    void tagged(std::string_view kind, uint64_t stag, uint64_t to, uint64_t size) {
        do {
            uint64_t n = std::min(size, 1 + chance_.below(SEGMENT));

            say(kind, {{"stag", text(stag)},
                       {"to", text(to)},
                       {"l", n == size ? "1" : "0"},
                       {"data", hex(chance_.octets(n))}});
            to += n;
            size -= n;
        } while (size != 0);
    }

    void write() {
        uint64_t at = chance_.below(target_.size);

        tagged("write", target_.stag, target_.to + at, chance_.below(target_.size - at + 1));
    }

    bool request() {
        if (target_.requests == 0)
            return false;
        target_.requests--;
        answers++;
        return true;
    }

    void read() {
        uint64_t at = chance_.below(target_.size);

        if (request())
            say("read-request",
                {{"sink_stag", text(chance_.below(1U << 31))},
                 {"sink_to", text(chance_.below(1U << 31))},
                 {"size", text(chance_.below(std::min(SEGMENT, target_.size - at)))},
                 {"src_stag", text(target_.stag)},
                 {"src_to", text(target_.to + at)}});
    }

    void atomic() {
        if (target_.size >= 8 && request())
            say(chance_.one_in(2) ? "fetchadd" : "cmpswap",
                {{"id", text(chance_.below(1U << 31))},
                 {"target_stag", text(target_.stag)},
                 {"target_to", text(target_.to + chance_.below(target_.size / 8) * 8)},
                 {"operand", text(chance_.any())},
                 {"mask", text(chance_.any())},
                 {"compare", text(chance_.any())},
                 {"compare_mask", text(chance_.any())}});
    }

    // Responds to the oldest outstanding request of the endpoint, if there is one.
    void answer() {
        if (auto size = std::exchange(target_.read_size, std::nullopt))
            tagged("read-response", target_.read_stag, target_.read_to, *size);
        else if (auto id = std::exchange(target_.atomic_id, std::nullopt))
            say("atomic-response", {{"id", text(*id)}, {"original", text(chance_.any())}});
    }

    Chance &chance_;
    Target target_;
};

// ------------------------------------------------------------------ mistakes

class Spoiler {
  public:
    Spoiler(Chance &chance, Fuzzed &fuzzed) : chance_(chance), fuzzed_(fuzzed) {}

    void one() {
        using Mistake = void (Spoiler::*)();
        constexpr Mistake all[] = {
            &Spoiler::field,  &Spoiler::field,      &Spoiler::field, &Spoiler::field,
            &Spoiler::bit,    &Spoiler::bit,        &Spoiler::crc,   &Spoiler::cut_off,
            &Spoiler::repeat, &Spoiler::swap,       &Spoiler::drop,  &Spoiler::garbage,
            &Spoiler::resize, &Spoiler::unexpected,
        };

        if (!fuzzed_.pieces.empty())
            (this->*all[chance_.below(std::size(all))])();
    }

  private:
    using Piece = Fuzzed::Piece;

    size_t some() { return chance_.below(fuzzed_.pieces.size()); }
    auto at(size_t index) { return fuzzed_.pieces.begin() + static_cast<std::ptrdiff_t>(index); }

    void tell(std::string what) { fuzzed_.mistakes.push_back(std::move(what)); }

    uint64_t odd_value(uint64_t old, uint64_t mask) {
        const uint64_t values[] = {
            0,
            1,
            mask,
            mask - 1,
            old + 1,
            old - 1,
            old << 1,
            old >> 1,
            mask / 2,
            chance_.any(),
            old ^ (uint64_t{1} << chance_.below(64)),
        };

        return values[chance_.below(std::size(values))] & mask;
    }

    // Gives a field another value, and recalculates the CRC.
    void field() {
        size_t index = some();
        Piece &piece = fuzzed_.pieces[index];
        Frame frame = decode(piece.octets);

        if (!piece.fpdu || frame.fields.empty())
            return;
        const Field &chosen = frame.fields[chance_.below(frame.fields.size())];
        uint64_t old = chosen.get(piece.octets);
        uint64_t value = odd_value(old, chosen.mask());
        if (value == old)
            return;
        chosen.set(piece.octets, value);
        crc_renew(piece.octets);
        tell(fmt::format("{} {}: {}=0x{:x} instead of 0x{:x}", index, frame.kind, chosen.name,
                         value, old));
    }

    void bit() {
        size_t index = some();
        Piece &piece = fuzzed_.pieces[index];
        size_t where = chance_.below(piece.octets.size());

        piece.octets[where] ^= static_cast<uint8_t>(1U << chance_.below(8));
        if (piece.fpdu && where + 4 < piece.octets.size() && !chance_.one_in(4))
            crc_renew(piece.octets);
        tell(fmt::format("{}: a bit of octet {}", index, where));
    }

    void crc() {
        size_t index = some();
        Octets &octets = fuzzed_.pieces[index].octets;

        octets.back() ^= static_cast<uint8_t>(1 + chance_.below(255));
        tell(fmt::format("{}: the last octet", index));
    }

    void cut_off() {
        size_t index = some();
        Piece &piece = fuzzed_.pieces[index];
        size_t n = chance_.below(piece.octets.size());

        piece.octets.resize(n);
        piece.fpdu = false;
        if (n == 0)
            fuzzed_.pieces.erase(at(index));
        tell(fmt::format("{}: only {} octets", index, n));
    }

    void repeat() {
        size_t index = some();
        Piece copy = fuzzed_.pieces[index];

        fuzzed_.pieces.insert(at(some()), std::move(copy));
        tell(fmt::format("{} again", index));
    }

    void swap() {
        size_t one = some(), other = some();

        if (one == other)
            return;
        std::swap(fuzzed_.pieces[one], fuzzed_.pieces[other]);
        tell(fmt::format("{} for {}", one, other));
    }

    void drop() {
        size_t index = some();

        fuzzed_.pieces.erase(at(index));
        tell(fmt::format("without {}", index));
    }

    void garbage() {
        size_t index = some(), n = 1 + chance_.below(100);

        fuzzed_.pieces.insert(at(index), {chance_.octets(n), false});
        tell(fmt::format("{} octets of anything before {}", n, index));
    }

    // Makes the ULPDU longer or shorter. The length field and the CRC of the FPDU stay correct.
    void resize() {
        size_t index = some();
        Piece &piece = fuzzed_.pieces[index];
        Frame frame = decode(piece.octets);

        if (!piece.fpdu || !frame.value("t"))
            return;
        size_t old = *frame.value("ulpdu_len"), size = chance_.below(2 * old);
        Octets ulpdu(piece.octets.begin() + 2, piece.octets.begin() + 2 + static_cast<int>(old));
        ulpdu.resize(size);
        piece.octets = frame_ulpdu(ulpdu, {});
        tell(fmt::format("{} {}: {} octets instead of {}", index, frame.kind, size, old));
    }

    void unexpected() {
        const Kind &kind = kinds()[chance_.below(kinds().size())];
        size_t index = some();
        Octets octets = build(kind.name, {}, static_cast<uint32_t>(1 + chance_.below(4)));

        fuzzed_.pieces.insert(at(index), {std::move(octets), true});
        tell(fmt::format("a {} of zeros before {}", kind.name, index));
    }

    Chance &chance_;
    Fuzzed &fuzzed_;
};

void spoil(Chance &chance, Fuzzed &fuzzed, size_t least) {
    Spoiler spoiler(chance, fuzzed);

    for (size_t n = least + chance.below(3); n != 0; n--)
        spoiler.one();
}

void deliver(Chance &chance, Fuzzed &fuzzed) {
    fuzzed.cuts = chance.one_in(2) ? chance.below(4) : 0;
    fuzzed.reset = chance.one_in(5);
}

} // namespace

Octets Chance::octets(size_t n) {
    Octets made(n);

    for (uint8_t &octet : made)
        octet = static_cast<uint8_t>(any());
    return made;
}

std::string Fuzzed::summary() const {
    return fmt::format("{} pieces, {}", pieces.size(),
                       mistakes.empty() ? "all right"
                                        : fmt::format("{}", fmt::join(mistakes, "; ")));
}

Fuzzed fuzz_stream(uint64_t seed, const Target &target) {
    Chance chance(seed);
    Speaker speaker(chance, target);
    Fuzzed fuzzed;

    for (size_t n = 1 + chance.below(20); n != 0; n--)
        speaker.one();
    fuzzed.answers = speaker.answers;
    for (Octets &frame : speaker.frames)
        fuzzed.pieces.push_back({std::move(frame), true});
    // Keep one session in eight correct, because correct sessions must work among incorrect ones.
    if (!chance.one_in(8))
        spoil(chance, fuzzed, 1);
    deliver(chance, fuzzed);
    return fuzzed;
}

Fuzzed fuzz_startup(uint64_t seed, std::string_view kind) {
    Chance chance(seed);
    Fuzzed fuzzed;
    Keys keys{{"rev", text(1 + chance.below(2))},
              {"crc", text(chance.below(2))},
              {"markers", text(chance.below(2))},
              {"private", hex(chance.octets(chance.below(40)))}};

    if (keys["rev"] == "2")
        for (std::string_view flag : {"a", "b", "c", "d"})
            keys[std::string(flag)] = text(chance.below(2));
    Octets octets = build_startup(kind, keys);
    Frame frame = decode_startup(octets);
    for (size_t n = chance.below(3); n != 0; n--) {
        const Field &chosen = frame.fields[chance.below(frame.fields.size())];
        uint64_t value = chance.any() & chosen.mask();

        chosen.set(octets, value);
        fuzzed.mistakes.push_back(fmt::format("{}=0x{:x}", chosen.name, value));
    }
    fuzzed.pieces.push_back({std::move(octets), false});
    if (chance.one_in(3))
        fuzzed.pieces.push_back({build("read-request", {}, 1), true});
    if (chance.one_in(3))
        spoil(chance, fuzzed, 0);
    deliver(chance, fuzzed);
    return fuzzed;
}

} // namespace xiw::peer
