// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// Capture the segments of RNICs to a file, or decode them immediately.
#include "cmd/decode.hpp"
#include "cmd/session.hpp"
#include "console/ending.hpp"
#include "nl/decode.hpp"
#include "render/table.hpp"
#include "render/wire.hpp"
#include "util.hpp"
#include "wire/decoder.hpp"
#include "wire/exported.hpp"
#include "wire/pcapng.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <linux/xiw.h>

namespace xiw::cmd {

namespace {

using Clock = std::chrono::steady_clock;

// Time between two reads if there are no segments. The kernel's ring keeps segments that arrive in
// the meantime.
constexpr std::chrono::milliseconds pause{20};
constexpr uint32_t kib = 1024;
constexpr uint32_t answer_kib = 32; // usual size of a reply, if the ring contains enough data

struct CaptureOptions : Selection {
    std::string file;             // empty: print the segments in words
    std::optional<uint32_t> snap; // octets
    uint32_t buffer = 4096;       // KiB
    std::optional<uint32_t> count;
    std::optional<uint32_t> seconds;
};

// Destination of the segments.
class Sink {
  public:
    Sink() = default;
    Sink(const Sink &) = delete;
    Sink &operator=(const Sink &) = delete;
    Sink(Sink &&) = delete;
    Sink &operator=(Sink &&) = delete;
    virtual ~Sink() = default;

    // Begin the output. A file keeps its old contents until this call.
    virtual void begin(const std::vector<Device> &devices) = 0;
    virtual void segment(uint32_t interface, const Captured::Segment &segment,
                         const wire::Exported &exported) = 0;
    // Write the segments that have been passed to segment().
    virtual void flush() = 0;
    virtual void end(uint32_t interface, uint64_t seen, uint64_t lost) = 0;
    virtual void end() = 0;
};

class Decoded final : public Sink {
  public:
    Decoded(Environment &env, const Format &format)
        : env_(env), format_(format),
          decoder_([this](const wire::Item &item) { renderer_->item(item); }) {}

    void begin(const std::vector<Device> &) override { renderer_ = wire_renderer(env_, format_); }
    void segment(uint32_t, const Captured::Segment &segment,
                 const wire::Exported &exported) override {
        wire::Octets packet = wire::exported_tags(exported);
        const auto tags = static_cast<uint32_t>(packet.size());
        packet.insert(packet.end(), segment.octets.begin(), segment.octets.end());
        decoder_.packet(wire::exported_link, segment.time, packet, tags + segment.length);
    }
    void flush() override { cmd::flush(env_); }
    void end(uint32_t, uint64_t, uint64_t) override {}
    void end() override {
        decoder_.finish();
        renderer_->end({decoder_.connections(), decoder_.recognised(), decoder_.packets(),
                        decoder_.other(), decoder_.ignored()});
    }

  private:
    Environment &env_;
    const Format &format_;
    std::unique_ptr<render::WireRenderer> renderer_;
    wire::Decoder decoder_;
};

// Open a file for writing, and make it readable only for its owner. Returns -1 with errno on
// failure. Do not follow a symbolic link, because another user may have created it. Follow the
// links in /dev/fd, because they refer to files that are already open.
int open_private(const std::string &name) {
    const int follow = name.starts_with("/dev/fd/") ? 0 : O_NOFOLLOW;
    const int fd =
        open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | follow, S_IRUSR | S_IWUSR);
    struct stat info = {};

    if (fd < 0 || fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        return fd;
    // Refuse a file of another user, because the owner of a file can always make it readable.
    if (info.st_uid != geteuid())
        errno = EPERM;
    else if (fchmod(fd, S_IRUSR | S_IWUSR) == 0)
        return fd;
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

// A file with the segments, or standard output. Only the owner of the file can read it, because
// captured data is confidential.
class File final : public Sink {
  public:
    File(Environment &env, const CaptureOptions &options)
        : env_(env), name_(options.file), fd_(name_ == "-" ? -1 : open_private(name_)) {
        if (name_ != "-" && fd_.get() < 0)
            cannot_write();
    }

    void begin(const std::vector<Device> &devices) override {
        // Ignore EINVAL, which ftruncate() returns for a file that has no length, such as a pipe.
        if (fd_.get() >= 0 && ftruncate(fd_.get(), 0) < 0 && errno != EINVAL)
            cannot_write();
        put(wire::pcapng::section(fmt::format("xiw {}", version)));
        for (const Device &device : devices)
            put(wire::pcapng::interface(
                {.link = wire::exported_link,
                 .name = device.ref.name,
                 .description = device.kind == XIW_NL_KIND_SOFT
                                    ? "DDP segments of FPDUs"
                                    : "messages from the ring: MSN 0 means unknown"}));
        flush();
    }

    void segment(uint32_t interface, const Captured::Segment &segment,
                 const wire::Exported &exported) override {
        const wire::Octets tags = wire::exported_tags(exported);
        last_ = segment.time;
        put(wire::pcapng::packet({.interface = interface,
                                  .time = segment.time,
                                  .sent = segment.sent,
                                  .bad_crc = segment.damaged,
                                  .length = static_cast<uint32_t>(tags.size()) + segment.length,
                                  .head = tags,
                                  .tail = segment.octets}));
    }

    void flush() override {
        // A failed write may have written a part of a block. Write nothing after this part.
        if (broken_)
            return;
        broken_ = true;
        if (fd_.get() < 0) {
            env_.out << pending_;
            cmd::flush(env_);
        } else if (!write_all(fd_.get(), pending_)) {
            cannot_write();
        }
        broken_ = false;
        pending_.clear();
    }

    void end(uint32_t interface, uint64_t seen, uint64_t lost) override {
        put(wire::pcapng::statistics(
            {.interface = interface, .time = last_, .seen = seen, .lost = lost}));
    }
    void end() override { flush(); }

  private:
    [[noreturn]] void cannot_write() {
        throw Error(Exit::failed, fmt::format("cannot write {}: {}", name_,
                                              std::generic_category().message(errno)));
    }
    void put(const wire::Octets &block) { pending_.append(block.begin(), block.end()); }

    Environment &env_;
    std::string name_;
    Descriptor fd_; // negative: standard output
    std::string pending_;
    bool broken_ = false; // a write has failed
    uint64_t last_ = 0;
};

wire::Endpoint endpoint(const std::optional<Address> &address) {
    wire::Endpoint endpoint;
    if (!address)
        return endpoint;
    endpoint.v6 = address->v6;
    endpoint.port = address->port;
    // inet_pton() refuses the scope of a link-local address, such as "%3" in "fe80::1%3".
    const std::string host = address->host.substr(0, address->host.find('%'));
    if (inet_pton(address->v6 ? AF_INET6 : AF_INET, host.c_str(), endpoint.address.data()) != 1)
        return {};
    return endpoint;
}

// Returns true if the kernel refused a request because the device or the module was removed.
bool is_removed(const nl::Refused &refused) {
    return refused.error() == ENODEV || refused.error() == ENOENT;
}

// The endpoints of each QP's connection. The kernel reports the endpoints of a QP only while the QP
// is connected.
class Routes {
  public:
    explicit Routes(Session &session) : session_(session) {}

    struct Route {
        wire::Endpoint local, remote;
    };
    // Get the endpoints of a QP; empty if its connection ended before they were read. Read the
    // endpoints of all QPs again at intervals, because a QP may connect to another peer. Segments
    // arrive while this function reads the endpoints, so it uses a twentieth of the time at most.
    Route of(uint64_t device, uint64_t qpn) {
        const Key key{device, qpn};
        const bool known = routes_.contains(key);
        const auto now = Clock::now();
        if (now - looked_ >= std::max<Clock::duration>(known ? lasts : pause, 20 * took_)) {
            look();
            looked_ = Clock::now();
            took_ = looked_ - now;
        }
        for (const auto *routes : {&routes_, &earlier_})
            if (const auto it = routes->find(key); it != routes->end())
                return it->second;
        return {};
    }

  private:
    using Key = std::pair<uint64_t, uint64_t>;

    void look() {
        // When routes_ is full, it replaces earlier_. This forgets the QPs that have not been
        // connected since the previous replacement.
        if (routes_.size() >= most) {
            earlier_ = std::move(routes_);
            routes_.clear();
        }
        try {
            // Read only once: the next look() finds a connection that an inconsistent list omits.
            for (const Connection &c : session_.collect().connections(1))
                if (c.qpn && c.local && c.remote)
                    routes_[{c.device.index, *c.qpn}] = {endpoint(c.local), endpoint(c.remote)};
        } catch (const nl::Refused &refused) {
            // The capture has already read segments of the removed device, and must not lose them.
            if (!is_removed(refused))
                throw;
        }
    }

    static constexpr auto lasts = std::chrono::seconds(1);
    static constexpr size_t most = 65536;

    Session &session_;
    std::map<Key, Route> routes_, earlier_;
    Clock::time_point looked_; // end of the last look()
    Clock::duration took_{};   // duration of the last look()
};

class Capture {
  public:
    Capture(Environment &env, const Format &format, const CaptureOptions &options)
        : env_(env), format_(format), options_(options), session_(env, format, options.device),
          routes_(session_), devices_(session_.collect().devices()) {
        for (const Device &device : devices_)
            sources_.push_back({device.ref, {}, false});
        if (sources_.empty())
            throw Error(Exit::failed, "no xiw device in this network namespace");
    }

    void run() {
        // Open the sink before `ending` takes the signals: the open of a FIFO waits for a reader,
        // and during this wait, a signal must end the process.
        const std::unique_ptr<Sink> sink = open_sink();
        console::Ending ending;
        for (const Source &source : sources_)
            start(source.device);
        sink->begin(devices_);
        said_begin();
        std::optional<Error> failed;
        try {
            drain_all(*sink, ending);
        } catch (const Error &error) {
            // Complete the output before the error is thrown.
            failed = error;
        }
        end(*sink);
        if (failed)
            throw *failed;
    }

  private:
    struct Source {
        DeviceRef device;
        Captured totals; // only `seen` and `lost`; `segments` is empty
        bool gone = false;
    };

    void drain_all(Sink &sink, console::Ending &ending) {
        const auto until = Clock::now() + std::chrono::seconds(options_.seconds.value_or(0));
        bool more = !options_.count || *options_.count != 0;
        while (more) {
            const bool some = drain(sink);
            more = !full() && alive() && !(options_.seconds && Clock::now() >= until) &&
                   !ending.within(some ? std::chrono::milliseconds::zero() : pause);
        }
        // Read the segments that the ring still contains. Limit the number of reads, because
        // segments may arrive as fast as this function reads them. Two successive replies empty the
        // ring, or contain more than answer_kib.
        for (uint32_t rest = 2 * (options_.buffer / answer_kib) + 1; rest != 0 && drain(sink);)
            rest--;
    }

    std::unique_ptr<Sink> open_sink() {
        if (options_.file.empty())
            return std::make_unique<Decoded>(env_, format_);
        return std::make_unique<File>(env_, options_);
    }

    void start(const DeviceRef &device) {
        session_.client().ask(
            XIW_CMD_CAPTURE_START,
            [&](nl::Request &request) {
                request.number(XIW_A_CAPTURE_DEV_INDEX, static_cast<uint32_t>(device.index));
                if (options_.qpn)
                    request.number(XIW_A_CAPTURE_QPN, *options_.qpn);
                if (options_.snap)
                    request.number(XIW_A_CAPTURE_SNAP, *options_.snap);
                request.number(XIW_A_CAPTURE_SIZE, options_.buffer * kib);
            },
            [](const nl::Attributes &) {});
    }

    void said_begin() {
        // This line notifies scripts that the capture has begun.
        std::string names;
        for (const Source &source : sources_)
            names += (names.empty() ? "" : ", ") + render::printable(source.device.name);
        env_.err << fmt::format("xiw: capturing on {}\n", names);
        env_.err.flush();
    }

    Captured take(Source &source) {
        Captured captured;
        try {
            session_.client().ask(
                XIW_CMD_CAPTURE_GET,
                [&](nl::Request &request) {
                    request.number(XIW_A_CAPTURE_DEV_INDEX,
                                   static_cast<uint32_t>(source.device.index));
                },
                [&](const nl::Attributes &reply) { captured = nl::decode_captured(reply); });
        } catch (const nl::Refused &refused) {
            if (!is_removed(refused))
                throw;
            source.gone = true;
            env_.err << fmt::format("xiw: {} is gone\n", render::printable(source.device.name));
            return captured;
        }
        source.totals.seen = captured.seen;
        source.totals.lost = captured.lost;
        return captured;
    }

    // Read the ring of each device once, and pass the segments to the sink. Returns true if there
    // was at least one segment.
    bool drain(Sink &sink) {
        bool some = false;
        for (uint32_t i = 0; i < sources_.size(); i++) {
            Source &source = sources_[i];
            if (source.gone || full())
                continue;
            const Captured captured = take(source);
            for (const Captured::Segment &segment : captured.segments) {
                if (full())
                    break;
                show(sink, i, segment);
                some = true;
            }
        }
        sink.flush();
        return some;
    }

    void show(Sink &sink, uint32_t interface, const Captured::Segment &segment) {
        const Routes::Route &route = routes_.of(sources_[interface].device.index, segment.qpn);
        sink.segment(interface, segment,
                     {.from = segment.sent ? route.local : route.remote,
                      .to = segment.sent ? route.remote : route.local,
                      .damaged = segment.damaged,
                      .length = segment.length});
        taken_++;
    }

    bool full() const { return options_.count && taken_ >= *options_.count; }
    bool alive() const {
        return std::ranges::any_of(sources_, [](const Source &source) { return !source.gone; });
    }

    void end(Sink &sink) {
        uint64_t lost = 0;
        for (uint32_t i = 0; i < sources_.size(); i++) {
            sink.end(i, sources_[i].totals.seen, sources_[i].totals.lost);
            lost += sources_[i].totals.lost;
        }
        sink.end();
        env_.err << fmt::format("xiw: {} captured, {} lost\n", render::grouped(taken_),
                                render::grouped(lost));
    }

    Environment &env_;
    const Format format_;
    const CaptureOptions &options_;
    Session session_;
    Routes routes_;
    std::vector<Device> devices_;
    std::vector<Source> sources_; // one for each device
    uint64_t taken_ = 0;
};

void add(Syntax &syntax, CaptureOptions &options) {
    CLI::App &app = syntax.app;
    add_device_and_qp(syntax, options);
    syntax.complete_files(app.add_option("-w,--write", options.file,
                                         "write to this file as pcapng; - for standard output")
                              ->type_name("FILE"));
    app.add_option("-s,--snap", options.snap,
                   "keep only this number of octets of each segment, from its start")
        ->type_name("OCTETS");
    app.add_option("-b,--buffer", options.buffer, "size of the kernel's buffer in KiB")
        ->check(CLI::Range(XIW_NL_CAPTURE_SIZE_MIN / 1024, XIW_NL_CAPTURE_SIZE_MAX / 1024));
    app.add_option("-c,--count", options.count, "exit after this number of segments");
    app.add_option("-t,--seconds", options.seconds, "exit after this time");
}

void execute(Environment &env, const Format &format, const CaptureOptions &options) {
    if (!options.file.empty() && !format.text())
        throw Error(Exit::usage, "--json and --tsv cannot be used with --write",
                    "without --write the segments are printed; xiw decode prints a file");
    Capture(env, format, options).run();
}

} // namespace

constinit const Command capture_command = {"capture",
                                           "capture segments into a file, or decode them",
                                           with_options<CaptureOptions, add, execute>};

} // namespace xiw::cmd
