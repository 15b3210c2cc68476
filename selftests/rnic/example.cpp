// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// The driver of docs/rnic/example.md. The blocks of this document are parsed and executed in order.
#include "driver.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <unistd.h>

using namespace xiw::test;
namespace rnic = xiw::rnic;

namespace {

struct Block {
    std::string kind;
    u32 line = 0; // number of the block's first line in the document
    std::vector<std::string> lines;
};

std::vector<Block> blocks_of(const std::string &path) {
    std::ifstream text(path);
    std::vector<Block> blocks;
    bool inside = false;
    std::string line;

    if (!text)
        throw std::runtime_error("cannot read " + path);
    for (u32 number = 1; std::getline(text, line); number++) {
        const bool fence = line.starts_with("```");
        if (fence && !inside)
            blocks.push_back({line.substr(3), number + 1, {}});
        else if (inside && !fence)
            blocks.back().lines.push_back(line);
        inside = inside != fence;
    }
    return blocks;
}

u64 number(const std::string &text) {
    size_t used = 0;
    const u64 value = std::stoull(text, &used, 16);

    if (used != text.size())
        throw std::invalid_argument("no number: " + text);
    return value;
}

// A machine on which the blocks of the document are executed, and the peer of its connection.
class Example {
  public:
    Example();
    ~Example() { std::filesystem::remove(path_); }
    Example(const Example &) = delete;
    Example &operator=(const Example &) = delete;
    Example(Example &&) = delete;
    Example &operator=(Example &&) = delete;

    void run(const Block &block);

  private:
    // Convert the rest of `line`, which consists of words in hex, to octets. A word "pp" stands for
    // the next octet of the peer's port.
    std::vector<u8> octets_of(std::istringstream line) const;
    void access(const std::string &line);
    void dump(const std::string &kind, const std::string &line);
    bool sent(const std::vector<u8> &octets) const;
    // If the peer has a connection request, accept the connection.
    void peer_turn();
    bool sooner_or_later(const std::function<bool()> &holds);

    std::string path_ = std::filesystem::temp_directory_path() /
                        ("xiw-example-" + std::to_string(getpid()) + ".pcap");
    std::optional<rnic::host::Capture> capture_;
    std::optional<Machine> machine_;
    Driver peer_{"127.0.0.2"};
    u16 port_ = 0; // the peer's port, in network byte order
};

Example::Example() {
    rnic::Function::Settings settings;
    xiw_conn_buf &listener = peer_.buffer(0);

    settings.capture = &capture_.emplace(path_);
    machine_.emplace(settings);
    machine_->bus_master(true);
    peer_.stream(1);
    if (peer_.region(0x200000, 4096, XIW_ACCESS_REMOTE_WRITE) != 0x15a)
        throw std::runtime_error("another STag than in the text");
    listener = {};
    listener.local = peer_.address(0);
    listener.params = peer_.params();
    if (peer_.command(XIW_ADM_LISTEN, 3, 0, peer_.conn_buffer(0), 8) != XIW_OK)
        throw std::runtime_error("listen");
    port_ = listener.local.port;
    peer_.buffer(5) = {};
    peer_.buffer(5).params = peer_.params();
    if (peer_.command(XIW_ADM_CONN_POST, 5, 3, peer_.conn_buffer(5)) != XIW_OK)
        throw std::runtime_error("post");
}

std::vector<u8> Example::octets_of(std::istringstream line) const {
    std::vector<u8> octets;
    std::string word;

    for (size_t places = 0; line >> word;) {
        if (word != "pp")
            octets.push_back(static_cast<u8>(number(word)));
        else
            octets.push_back(reinterpret_cast<const u8 *>(&port_)[places++ % sizeof(port_)]);
    }
    return octets;
}

void Example::peer_turn() {
    if (!peer_.has(XIW_EV_CONN))
        return;
    if (peer_.wait(XIW_EV_CONN).conn.what != XIW_CONN_REQUEST)
        return;
    peer_.buffer(5).params = peer_.params();
    peer_.buffer(5).private_length = 0;
    CHECK(peer_.command(XIW_ADM_ACCEPT, 5, 1) == XIW_OK);
}

bool Example::sooner_or_later(const std::function<bool()> &holds) {
    return eventually([&] {
        peer_turn();
        return holds();
    });
}

bool Example::sent(const std::vector<u8> &octets) const {
    std::ifstream file(path_, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    const std::string wanted(octets.begin(), octets.end());

    return all.find(wanted) != std::string::npos;
}

void Example::access(const std::string &line) {
    std::istringstream words(line);
    std::string offset, arrow, value;

    words >> offset >> arrow >> value;
    if (arrow == "<-")
        machine_->write(number(offset), number(value));
    else
        CHECK(sooner_or_later([&] { return machine_->read(number(offset)) == number(value); }));
}

void Example::dump(const std::string &kind, const std::string &line) {
    std::istringstream words(line);
    std::string address;

    words >> address;
    const u64 at = number(address);
    const std::vector<u8> octets = octets_of(std::move(words));
    if (kind == "memory") {
        std::copy(octets.begin(), octets.end(), machine_->at(at));
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return;
    }
    const Machine &where = kind == "peer" ? peer_.machine : *machine_;
    const auto there = [&] {
        for (u64 i = 0; i < octets.size(); i++)
            if (where.word<u8>(at + i) != octets[i])
                return false;
        return true;
    };
    CHECK(sooner_or_later(there));
}

void Example::run(const Block &block) {
    u32 line = block.line;
    std::string all;

    for (const std::string &text : block.lines) {
        INFO("docs/rnic/example.md:" << line++ << ": " << text);
        if (block.kind == "register")
            access(text);
        else if (block.kind == "wire")
            all += text + " ";
        else if (block.kind == "memory" || block.kind == "expect" || block.kind == "peer")
            dump(block.kind, text);
        else
            FAIL("a block that nobody knows: " << block.kind);
    }
    INFO("docs/rnic/example.md:" << block.line << ": " << all);
    if (block.kind == "wire")
        CHECK(sooner_or_later([&] { return sent(octets_of(std::istringstream(all))); }));
}

} // namespace

TEST_CASE("rnic: the example in the reference works as documented") {
    const std::vector<Block> blocks = blocks_of(XIW_EXAMPLE);
    Example example;

    REQUIRE(blocks.size() > 15);
    for (const Block &block : blocks)
        example.run(block);
}
