// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace uverbs {

/** Random numbers of a thread. Runs with the same seed differ only in the timing of the threads. */
class Random {
  public:
    explicit Random(uint64_t seed) : engine_(seed) {}

    /** Get a number from 0 to @p limit - 1. */
    uint64_t below(uint64_t limit) { return engine_() % limit; }
    /** Returns true once in @p times, on average. */
    bool once_in(uint64_t times) { return below(times) == 0; }
    uint64_t word() { return engine_(); }
    /** Get an edge case such as 0xffff, a number below 64, or a random number of random length. */
    uint64_t odd();

  private:
    std::mt19937_64 engine_;
};

enum class Kind { pd, mr, mw, channel, cq, qp, srq };
constexpr size_t kinds = 7;

/**
 * Memory whose addresses are used in requests. The kernel may overwrite it, so the program keeps no
 * data in it, except the answers to its commands. The guard behind this memory cannot be accessed,
 * so an answer that is too long stops at the guard.
 */
class Arena {
  public:
    static constexpr size_t size = 1 << 20;
    static constexpr size_t guard = 1 << 19; ///< longer than any answer (0xffff words of 8 bytes)
    Arena();
    ~Arena();
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;

    [[nodiscard]] uint8_t *begin() const { return begin_; }
    /** Get an address in the arena, in some cases near its end, or null, or a kernel address. */
    uint64_t address(Random &random) const;

  private:
    uint8_t *begin_;
};

/** An open uverbs file and its objects. Threads share a session. */
class Session {
  public:
    /** @throws std::system_error if the file cannot be opened */
    explicit Session(const std::string &path);
    /** Closes the file, which destroys all its objects. */
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    [[nodiscard]] int file() const { return file_; }
    /** Get the handle of an object of this kind. Sometimes it is a random number. */
    uint32_t some(Kind kind, Random &random);
    void made(Kind kind, uint32_t handle);
    void gone(Kind kind, uint32_t handle);
    /**
     * numbered() adds a QP number. number() returns an added number, a number close to an added
     * number, or a random number. A close number may belong to a QP of another user.
     */
    void numbered(uint32_t number);
    uint32_t number(Random &random);
    /** A memory region for requests of a peer. registered() adds one, and region() returns one. */
    struct Region {
        uint32_t rkey = 0;
        uint64_t address = 0;
    };
    void registered(Region region);
    Region region(Random &random);
    /** Adds a descriptor that the kernel has opened for the session. */
    void opened(int file);
    /** Adds an offset at which a queue can be mapped. */
    void offers(uint64_t key, uint32_t length);
    struct Offer {
        uint64_t key;
        uint32_t length;
    };
    std::optional<Offer> offer(Random &random);

  private:
    int file_;
    std::mutex lock_; // protects all members below
    std::array<std::vector<uint32_t>, kinds> handles_;
    std::vector<uint32_t> numbers_;
    std::vector<Region> regions_;
    std::vector<int> files_;
    std::vector<Offer> offers_;
};

/** Numbers of accepted and refused requests, by type. */
class Tally {
  public:
    void count(const char *what, bool taken);
    void print() const;
    [[nodiscard]] uint64_t taken(const std::string &what) const;

  private:
    struct Row {
        uint64_t taken = 0, refused = 0;
    };
    mutable std::mutex lock_;
    std::map<std::string, Row> rows_;
};

/** Mapped queues of one thread. */
class Mappings {
  public:
    ~Mappings();
    /** Maps or unmaps a queue, calls mremap() for its mapping, or writes random words to it. */
    void step(Session &session, Random &random, Tally &tally);

  private:
    struct Area {
        uint32_t *at;
        size_t length;
        bool writable;
    };
    std::vector<Area> areas_;
    void map(Session &session, Random &random, Tally &tally);
    void scribble(Random &random);
};

/** Sends one command by write(). The command may contain errors. */
void command(Session &session, const Arena &arena, Random &random, Tally &tally);
/** Sends one command. Most commands modify, create or destroy a QP, or ring a doorbell. */
void command_on_qp(Session &session, const Arena &arena, Random &random, Tally &tally);
/** Creates the objects for later commands: a context, and at least one object of each kind. */
void prepare(Session &session, const Arena &arena, Random &random, Tally &tally);
/** Creates eight QPs and eight MRs, for several connections. */
void prepare_qps(Session &session, const Arena &arena, Random &random, Tally &tally);
/** Makes one call of the ioctl interface. */
void call(Session &session, const Arena &arena, Random &random, Tally &tally);

} // namespace uverbs
