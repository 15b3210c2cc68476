// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/elsewhere.hpp"
#include "error.hpp"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

namespace xiw::cmd {

namespace {

constexpr const char *libraries[] = {"libibverbs.so.1", "librdmacm.so.1"};

// Check that the libraries are installed, because the loader would report a missing library without
// advice.
void check_libraries() {
    for (const char *name : libraries) {
        void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (library == nullptr)
            throw Error(Exit::absent, fmt::format("user-space verbs: {}", dlerror()),
                        "apt-get install libibverbs1 librdmacm1 ibverbs-providers");
        dlclose(library);
    }
}

} // namespace

void hand_over(const std::string &folder, char **argv) {
    for (const std::string &path :
         {folder + "/xiw-traffic", folder + "/" XIW_LIBEXEC "/xiw-traffic"}) {
        if (access(path.c_str(), X_OK) != 0)
            continue;
        check_libraries();
        execv(path.c_str(), argv);
        throw Error(Exit::failed, fmt::format("{}: {}", path, std::strerror(errno)));
    }
    throw Error(Exit::absent, "this xiw was built without user-space verbs: no xiw-traffic",
                "apt-get install libibverbs-dev librdmacm-dev, then make utils && make install");
}

} // namespace xiw::cmd
