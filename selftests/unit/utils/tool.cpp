// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "tool.hpp"

#include "cmd/command.hpp"
#include "traffic/traffic.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace test {

namespace {

// The buffer of an output that has room for `room` lines, like a file on a full disk.
class Output final : public std::stringbuf {
  public:
    explicit Output(size_t room) : room_(room) {}

  private:
    int sync() override {
        return static_cast<size_t>(std::ranges::count(str(), '\n')) <= room_ ? 0 : -1;
    }

    size_t room_;
};

// Run the tool in an environment that contains only the outputs and what `equip` adds.
template <typename Equip>
Result run_in(std::vector<const char *> arguments, const Equip &equip, size_t room = SIZE_MAX) {
    Output buffer(room);
    std::ostream out(&buffer);
    std::ostringstream err;
    xiw::cmd::Environment env{
        .out = out, .err = err, .colour = false, .connect = nullptr, .ifname = nullptr};
    equip(env);
    arguments.insert(arguments.begin(), "xiw");
    const xiw::Exit exit = xiw::cmd::run(env, static_cast<int>(arguments.size()), arguments.data());
    return {exit, buffer.str(), err.str()};
}

} // namespace

Result run_tool(Kernel *kernel, std::vector<const char *> arguments, const std::string &input,
                size_t room) {
    std::istringstream in(input);
    const auto equip = [&](xiw::cmd::Environment &env) {
        env.in = &in;
        env.console = [] { return std::make_unique<Clock>(); };
        if (kernel == nullptr)
            return;
        env.connect = [kernel] { return kernel->connect(); };
        env.ifname = [kernel](uint64_t index) { return index == 7 ? kernel->interface : ""; };
        env.ifindex = [](const std::string &name) { return name == "storage" ? 7 : 0; };
    };
    return run_in(std::move(arguments), equip, room);
}

Result run_alone(std::vector<const char *> arguments) {
    return run_tool(nullptr, std::move(arguments));
}

Result run_narrow(Kernel &kernel, size_t columns, std::vector<const char *> arguments) {
    return run_in(std::move(arguments), [&](xiw::cmd::Environment &env) {
        env.connect = [&kernel] { return kernel.connect(); };
        env.ifname = [](uint64_t) { return "eth0"; };
        env.columns = columns;
    });
}

Result run_on(const xiw::doctor::Host &host, std::vector<const char *> arguments) {
    return run_in(std::move(arguments),
                  [&](xiw::cmd::Environment &env) { env.host = [&host] { return host; }; });
}

Folder::Folder() {
    char name[] = "/tmp/xiw-test.XXXXXX";
    if (mkdtemp(name) == nullptr)
        throw std::runtime_error("mkdtemp");
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string Folder::put(const std::string &name, const std::string &text) const {
    std::ofstream(file(name)) << text;
    return file(name);
}

std::string Folder::text(const std::string &name) const {
    std::ifstream in(file(name));
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
}

Result run_with(std::function<std::unique_ptr<xiw::traffic::Traffic>()> traffic,
                std::vector<const char *> arguments, size_t room) {
    const auto equip = [&](xiw::cmd::Environment &env) { env.traffic = std::move(traffic); };
    return run_in(std::move(arguments), equip, room);
}

} // namespace test
