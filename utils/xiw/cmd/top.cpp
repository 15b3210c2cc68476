// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"
#include "console/console.hpp"
#include "model/rates.hpp"
#include "render/render.hpp"
#include "render/tables.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace xiw::cmd {

namespace {

using console::Event;
using console::Time;

constexpr double seconds_min = 0.1;
constexpr double seconds_max = 3600;

std::string seconds_word(Time time) {
    return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

struct TopOptions : Selection {
    double interval = 1; // seconds
    std::string sort = "rate";
    bool once = false;
};

void add(Syntax &syntax, TopOptions &options) {
    add_device(syntax, options);
    syntax.app.add_option("-i,--interval", options.interval, "seconds between updates; default 1");
    syntax.complete_words(
        syntax.app.add_option("-s,--sort", options.sort, "sort by rate, sent, received or number")
            ->type_name("KEY"),
        {"rate", "sent", "received", "number"});
    syntax.app.add_flag("--once", options.once, "print the rates of one interval");
}

Time interval(const TopOptions &options) {
    // This form of the check also refuses NaN.
    if (!(options.interval >= seconds_min && options.interval <= seconds_max))
        throw Error(Exit::usage, fmt::format("the interval must be {:g} to {:g} seconds",
                                             seconds_min, seconds_max));
    return std::chrono::duration_cast<Time>(std::chrono::duration<double>(options.interval));
}

Order order(const TopOptions &options) {
    const auto order = parse_order(options.sort);
    if (!order)
        throw Error(Exit::usage, fmt::format("no sort key \"{}\"", options.sort),
                    "valid: " + order_words());
    return *order;
}

class Top {
  public:
    Top(Environment &env, const Format &format, const TopOptions &options)
        : interval_(interval(options)), order_(order(options)), colour_(env.colour),
          session_(env, format, options.device), console_(env.console()) {}

    bool live() const { return console_->live(); }

    // Read the counters twice, and print the difference.
    void once() {
        look();
        const Time until = at_ + interval_;
        while (console_->now() < until)
            console_->wait(until - console_->now());
        look();
        Report &report = session_.collect().report();
        report.activity = std::move(activity_);
        report.devices.reset();
        report.connections.reset();
        report.counters.reset();
        session_.print(render::activity);
    }

    void watch() {
        const console::Screen screen(*console_);
        look();
        for (bool more = true; more;) {
            draw();
            const Time left = paused_ ? Time::max() / 4 : at_ + interval_ - console_->now();
            const Event event = console_->wait(left);
            if (event.kind == Event::Kind::key)
                more = key(event.key);
            else if (event.kind == Event::Kind::end)
                more = false;
            // A key also ends the wait. Do not read the counters before the interval has passed.
            if (more && !paused_ && console_->now() - at_ >= interval_)
                look();
        }
    }

  private:
    void look() {
        Report &report = session_.collect().report();
        report.consistent = true;
        session_.collect().devices();
        session_.collect().connections();
        session_.collect().counters();
        const Time now = console_->now();
        activity_ = xiw::activity(before_, report, static_cast<uint64_t>((now - at_).count()));
        sort(activity_, order_);
        before_ = report;
        at_ = now;
    }

    // Handle a key. Returns false if the key ends the command.
    bool key(char key) {
        switch (key) {
        case 'q':
        case 'Q':
            return false;
        case 's':
            order_ = next(order_);
            sort(activity_, order_);
            break;
        case ' ':
        case 'p':
            paused_ = !paused_;
            break;
        case '+':
            interval_ = std::min(interval_ * 2, in_range(seconds_max));
            break;
        case '-':
            interval_ = std::max(interval_ / 2, in_range(seconds_min));
            break;
        default: // includes Control-L: the loop redraws anyway
            break;
        }
        return true;
    }

    static Time in_range(double seconds) {
        return std::chrono::duration_cast<Time>(std::chrono::duration<double>(seconds));
    }

    void draw() {
        const console::Size size = console_->size();
        const std::string head = fmt::format(
            "xiw top  every {}, by {}, {} connections{}{}", seconds_word(interval_),
            order_word(order_), render::grouped(activity_.connections.size()),
            paused_ ? ", PAUSED" : "", before_.consistent ? "" : ", objects were added or removed");
        std::vector<std::string> lines{render::paint(head, render::Colour::bold, colour_)};
        // Show the line of keys, below an empty line, only if there is also room for other lines.
        const size_t room = size.rows > 4 ? size.rows - 3 : size.rows - 1;
        for (std::string &line : render::activity_lines(activity_, colour_, room))
            lines.push_back(std::move(line));
        if (size.rows > 4) {
            lines.resize(size.rows - 1);
            lines.emplace_back("q quit  s sort  space pause  + - interval");
        }
        console_->draw(lines);
    }

    Time interval_;
    Order order_;
    bool colour_;
    Session session_;
    std::unique_ptr<console::Console> console_;
    Report before_;
    Time at_{};
    Activity activity_;
    bool paused_ = false;
};

void execute(Environment &env, const Format &format, const TopOptions &options) {
    Top top(env, format, options);
    if (options.once || !format.text() || env.batch || !top.live())
        top.once();
    else
        top.watch();
}

} // namespace

constinit const Command top_command = {"top", "rates of devices and connections, live",
                                       with_options<TopOptions, add, execute>};

} // namespace xiw::cmd
