// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef TEST_TOOL_HPP
#define TEST_TOOL_HPP

#include "console/console.hpp"
#include "doctor/doctor.hpp"
#include "error.hpp"
#include "kernel.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace xiw::traffic {
class Traffic;
}

namespace test {

struct Result {
    xiw::Exit exit;
    std::string out;
    std::string err;
};

// Run the whole tool without colour. If `kernel` is null, a request to the kernel crashes the tool.
// The output has room for `room` lines. After more lines, each flush of the output fails.
Result run_tool(Kernel *kernel, std::vector<const char *> arguments, const std::string &input = {},
                size_t room = SIZE_MAX);
// Run the tool without a kernel.
Result run_alone(std::vector<const char *> arguments);
// Run the tool on a terminal with `columns` columns.
Result run_narrow(Kernel &kernel, size_t columns, std::vector<const char *> arguments);
// Run the tool on the machine that `host` describes.
Result run_on(const xiw::doctor::Host &host, std::vector<const char *> arguments);
// Run the tool with a stand-in for user-space verbs.
Result run_with(std::function<std::unique_ptr<xiw::traffic::Traffic>()> traffic,
                std::vector<const char *> arguments, size_t room = SIZE_MAX);

// A console without a terminal. Its time advances only during waits.
class Clock final : public xiw::console::Console {
  public:
    bool live() const override { return false; }
    void open() override {}
    void close() override {}
    xiw::console::Size size() const override { return {}; }
    void draw(const std::vector<std::string> &) override {}
    xiw::console::Time now() const override { return now_; }
    xiw::console::Event wait(xiw::console::Time most) override {
        now_ += most;
        return {};
    }

  private:
    xiw::console::Time now_{};
};

// A temporary folder. The destructor deletes the folder and its contents.
class Folder {
  public:
    Folder();
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    Folder(Folder &&) = delete;
    Folder &operator=(Folder &&) = delete;
    ~Folder();

    std::string file(const std::string &name) const { return path_ + "/" + name; }
    std::string put(const std::string &name, const std::string &text) const;
    std::string text(const std::string &name) const;
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

} // namespace test

#endif
