// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "cmd/session.hpp"
#include "render/render.hpp"

#include <algorithm>
#include <map>

namespace xiw::cmd {

namespace {

// Keep the last events of each device; the kernel sends them in order.
void only_last(std::vector<Notice> &list, uint32_t last) {
    std::map<uint64_t, size_t> left;
    for (const Notice &notice : list)
        left[notice.device.index]++;
    std::erase_if(
        list, [&left, last](const Notice &notice) { return left[notice.device.index]-- > last; });
}

} // namespace

void term(Environment &env, const Options &options) {
    Session session(env, options);
    session.collect().notices();
    auto &list = session.collect().report().notices;
    if (list && options.qpn)
        std::erase_if(*list, [&](const Notice &notice) { return notice.qpn != *options.qpn; });
    if (list && options.last)
        only_last(*list, *options.last);
    session.print([&options](std::ostream &out, const Report &report, bool colour) {
        render::notices(out, report, colour, options.recorder);
    });
}

} // namespace xiw::cmd
