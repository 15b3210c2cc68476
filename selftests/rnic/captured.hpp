// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#ifndef XIW_TEST_CAPTURED_HPP
#define XIW_TEST_CAPTURED_HPP

#include "driver.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <unistd.h>

namespace xiw::test {

// Call `traffic` with settings that make an RNIC write its traffic to a temporary file. Return the
// contents of the file.
inline std::string
captured(const std::function<void(const rnic::Function::Settings &settings)> &traffic) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("xiw-rnic-test-" + std::to_string(getpid()) + ".pcap");
    {
        rnic::host::Capture capture(path);
        rnic::Function::Settings settings;
        settings.capture = &capture;
        traffic(settings);
    }
    std::ifstream file(path, std::ios::binary);
    std::string all((std::istreambuf_iterator<char>(file)), {});
    std::filesystem::remove(path);
    return all;
}

} // namespace xiw::test

#endif
