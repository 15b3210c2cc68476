// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"
#include "model/words.hpp"
#include "nl/decode.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <algorithm>
#include <map>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <linux/xiw.h>

namespace xiw::cmd {

namespace {

struct MonitorOptions : Selection {
    std::vector<std::string> kinds;
    std::optional<uint32_t> count;
};

std::vector<std::string> kind_words() {
    std::vector<std::string> words;
    for (uint64_t kind = 0; kind <= XIW_NL_NOTICE_MAX; kind++)
        words.push_back(notice_kind_word(kind));
    return words;
}

void add(Syntax &syntax, MonitorOptions &options) {
    add_device_and_qp(syntax, options);
    syntax.complete_words(
        syntax.app
            .add_option("-k,--kind", options.kinds, "only events of this kind; may be repeated")
            ->allow_extra_args(false),
        kind_words());
    syntax.app.add_option("-c,--count", options.count, "exit after this number of events");
}

std::vector<uint64_t> parse_kinds(const std::vector<std::string> &words) {
    const std::vector<std::string> all = kind_words();
    std::vector<uint64_t> kinds;
    for (const std::string &word : words) {
        const auto kind = std::ranges::find(all, word);
        if (kind == all.end())
            throw Error(Exit::usage, fmt::format("no kind of event \"{}\"", word),
                        fmt::format("valid: {}", fmt::join(all, ", ")));
        kinds.push_back(static_cast<uint64_t>(kind - all.begin()));
    }
    return kinds;
}

// Prints events, and detects lost events by gaps in the numbers of the events.
class Monitor {
  public:
    Monitor(Environment &env, const Format &format, const MonitorOptions &options,
            const DeviceRef &device)
        : env_(env), format_(format), options_(options), device_(device),
          kinds_(parse_kinds(options.kinds)) {}

    // In JSON and TSV, print a first line, which notifies scripts that monitoring has begun.
    void begin() {
        if (format_.json)
            print({});
        else if (format_.tsv)
            render::notice_table({}).tsv(env_.out);
        flush(env_);
    }

    bool take(const Notice &notice) {
        if (!options_.device.empty() && !of_device(notice.device))
            return true;
        missed(notice);
        if (!matches(notice))
            return true;
        print(notice);
        flush(env_);
        return !options_.count || ++printed_ < *options_.count;
    }

    // The next event of each device will show how many events were lost.
    bool lost() {
        env_.err << "xiw: events came faster than they were read, some are lost\n";
        env_.err.flush();
        return true;
    }

    bool done() const { return options_.count && *options_.count == 0; }

  private:
    // Returns true if the event belongs to the selected device. A device has a new index after it
    // was removed and added again, for example by a reset of its PCI function.
    bool of_device(const DeviceRef &device) {
        if (device.index == device_.index)
            return true;
        if (device.name != options_.device)
            return false;
        device_ = device;
        fmt::print(env_.err, "xiw: {} is another device now\n", render::printable(device.name));
        env_.err.flush();
        return true;
    }

    bool matches(const Notice &notice) const {
        if (options_.qpn && notice.qpn != *options_.qpn)
            return false;
        return kinds_.empty() || (notice.kind && std::ranges::count(kinds_, *notice.kind) != 0);
    }

    void missed(const Notice &notice) {
        if (!notice.number)
            return;
        const auto [last, first] = latest_.try_emplace(notice.device.index, *notice.number);
        const uint64_t gap =
            first || *notice.number <= last->second ? 0 : *notice.number - last->second - 1;
        last->second = *notice.number;
        if (gap == 0)
            return;
        if (format_.json) {
            Report report;
            report.notices.emplace();
            report.lost = gap;
            render::json_line(env_.out, report);
        } else {
            fmt::print(format_.tsv ? env_.err : env_.out, "{} events of {} are lost\n", gap,
                       render::printable(notice.device.name));
        }
        flush(env_);
    }

    void print(const std::optional<Notice> &notice) {
        Report report;
        report.notices.emplace();
        if (notice)
            report.notices->push_back(*notice);
        if (format_.json)
            render::json_line(env_.out, report);
        else if (format_.tsv)
            render::notice_table(*report.notices).tsv_rows(env_.out);
        else
            print_report(env_, format_, report,
                         [](std::ostream &out, const Report &all, bool colour) {
                             render::notices(out, all, colour);
                         });
    }

    Environment &env_;
    const Format format_;
    const MonitorOptions &options_;
    DeviceRef device_;
    std::vector<uint64_t> kinds_;
    std::map<uint64_t, uint64_t> latest_; // key: device index; value: number of the last event
    uint32_t printed_ = 0;
};

void execute(Environment &env, const Format &format, const MonitorOptions &options) {
    parse_kinds(options.kinds);
    Session session(env, format, options.device);
    Monitor monitor(env, format, options, session.device());

    session.client().join(XIW_MCGRP_NOTICES);
    monitor.begin();
    if (!monitor.done())
        session.client().listen(
            XIW_CMD_NOTICE_NTF,
            [&monitor](const nl::Attributes &event) {
                return monitor.take(nl::decode_notice(event));
            },
            [&monitor] { return monitor.lost(); });
}

} // namespace

constinit const Command monitor_command = {"monitor", "print events as they happen",
                                           with_options<MonitorOptions, add, execute>};

} // namespace xiw::cmd
