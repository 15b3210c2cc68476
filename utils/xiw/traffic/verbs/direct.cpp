// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "traffic/verbs/direct.hpp"

#include <optional>

#include <dlfcn.h>

namespace xiw::traffic {

namespace {

template <typename Function>
bool find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

std::optional<Direct> loaded() {
    // Find the loaded library by its soname, because the name of its file may differ.
    void *library = dlopen("libxiwdv.so.1", RTLD_NOW | RTLD_NOLOAD);
    Direct direct{};
    if (library != nullptr && find(library, "xiwdv_is_supported", direct.is_supported) &&
        find(library, "xiwdv_query_device", direct.query_device) &&
        find(library, "xiwdv_wr_masked_fetch_add", direct.masked_fetch_add) &&
        find(library, "xiwdv_wr_masked_cmp_swp", direct.masked_cmp_swp) &&
        find(library, "xiwdv_wr_rdma_write_imm64", direct.write_imm64) &&
        find(library, "xiwdv_poll_cq", direct.poll_cq))
        return direct;
    return std::nullopt;
}

} // namespace

const Direct *direct(ibv_device *device) {
    static const std::optional<Direct> functions = loaded();
    return functions && functions->is_supported(device) ? &*functions : nullptr;
}

} // namespace xiw::traffic
