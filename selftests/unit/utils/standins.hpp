// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// A machine on which tests run the scripts of utils/systemd. The machine is a folder with stand-ins
// for the programs that the scripts call, with the scripts' configuration files, and with a file
// for each interface and network namespace.
#ifndef TEST_STANDINS_HPP
#define TEST_STANDINS_HPP

#include "tree.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace test {

struct Close {
    void operator()(std::FILE *pipe) const { pclose(pipe); }
};

class Machine {
  public:
    // `script` is the name of the script in utils/systemd.
    explicit Machine(std::string script) : script_(std::move(script)) {
        char name[] = "/tmp/xiw-script.XXXXXX";
        if (mkdtemp(name) == nullptr)
            throw std::runtime_error("mkdtemp");
        folder = name;
        for (const char *program : {"rdma", "modprobe", "xiw", "sleep", "ip"})
            answer(program, "exit 0");
        create("eth5");
    }
    ~Machine() {
        std::error_code error;
        std::filesystem::remove_all(folder, error);
    }
    Machine(const Machine &) = delete;
    Machine(Machine &&) = delete;
    Machine &operator=(const Machine &) = delete;
    Machine &operator=(Machine &&) = delete;

    // Create an empty file. It represents, for example, an interface or a network namespace.
    void create(const std::string &name) const { std::ofstream(folder + "/" + name) << ""; }
    // Create a stand-in for a program. The stand-in prints its arguments and runs the shell command
    // `how`. With the arguments `link show`, the stand-in prints what show() has stored, or fails,
    // as if there were no link.
    void answer(const std::string &program, const std::string &how) const {
        const std::string path = folder + "/" + program;
        std::ofstream(path) << "#!/bin/sh\n"
                               "case \"$1 $2\" in 'link show') cat '"
                            << path
                            << ".link' 2>/dev/null; exit ;; esac\n"
                               "echo \"+ "
                            << program << " $*\"\n"
                            << how << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
    // Store what the stand-in for `program` prints with the arguments `link show`.
    void show(const std::string &program, const std::string &links) const {
        std::ofstream(folder + "/" + program + ".link") << links << "\n";
    }
    void config(const std::string &name, const std::string &content) const {
        std::ofstream(folder + "/" + name + ".conf") << content;
    }
    std::string run(const std::string &arguments) const {
        const std::string command =
            "PATH=" + folder + ":$PATH XIW_LINKS=" + folder + " XIW_RNICS=" + folder +
            " XIW_INTERFACES=" + folder + " XIW_NAMESPACES=" + folder + " " +
            in_tree("/utils/systemd/" + script_) + " " + arguments + " 2>&1; echo status $?";
        std::string said;
        std::array<char, 512> buffer{};
        const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
        while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
            said += buffer.data();
        return said;
    }

    std::string folder;

  private:
    std::string script_;
};

} // namespace test

#endif
