// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#include "ring/stag_table.hpp"

#include "ring/memory.hpp"

#include <algorithm>
#include <new>

namespace xiw::rnic {

namespace {

enum : u64 { list_entries = 512 };

bool is_window(const xiw_stag_entry &entry) {
    return (le32_to_cpu(entry.flags) & XIW_STAGF_WINDOW) != 0;
}

xiw_stag_view view_of(const xiw_stag_entry &entry) {
    xiw_stag_view view{};

    xiw_stag_view_get(&view, &entry);
    return view;
}

} // namespace

xiw_stag_entry *StagTable::entry(u32 stag) const {
    const u32 index = xiw_stag_index(stag);
    const auto *chunk = index < max_stags ? chunks_[index / XIW_STAG_CHUNK].get() : nullptr;

    return chunk == nullptr
               ? nullptr
               : const_cast<xiw_stag_entry *>(&chunk->shadow.at(index % XIW_STAG_CHUNK));
}

// Write an entry to the driver's memory. Write its state last, so that a reader that sees VALID
// sees the whole entry.
void StagTable::tell(u32 stag, const xiw_stag_entry &entry) const {
    const u32 index = xiw_stag_index(stag);
    const u64 at = chunks_[index / XIW_STAG_CHUNK]->entries +
                   u64{index % XIW_STAG_CHUNK} * sizeof(xiw_stag_entry);

    memory_.write(at + 1, reinterpret_cast<const u8 *>(&entry) + 1, sizeof(entry) - 1);
    memory_.store_octet(at, entry.state);
}

void StagTable::tell_state(u32 stag, u8 state) const {
    const u32 index = xiw_stag_index(stag);

    entry(stag)->state = state;
    memory_.store_octet(chunks_[index / XIW_STAG_CHUNK]->entries +
                            u64{index % XIW_STAG_CHUNK} * sizeof(xiw_stag_entry),
                        state);
}

u8 StagTable::chunk(u32 index, u64 entries) {
    if (index >= chunks_.size() || entries == 0)
        return XIW_ERR_INVALID;
    if (chunks_[index])
        return XIW_ERR_BUSY;
    chunks_[index].reset(new (std::nothrow) Chunk());
    if (!chunks_[index])
        return XIW_ERR_NOMEM;
    chunks_[index]->entries = entries;
    return XIW_OK;
}

// Check the MR of a bind (RFC 5040 §8.1). On success, store the generation of the MR in
// `generation`.
u8 StagTable::window(const xiw_stag_entry &window, u32 &generation) const {
    const u32 parent = le32_to_cpu(window.parent);
    const auto *found = entry(parent);

    if (found == nullptr)
        return XIW_ERR_STAG;
    const xiw_stag_view region = view_of(*found);
    if (region.state != XIW_STAG_VALID || region.key != xiw_stag_key(parent) ||
        (region.flags & XIW_STAGF_WINDOW) != 0)
        return XIW_ERR_STAG;
    if (region.pd != le32_to_cpu(window.pd))
        return XIW_ERR_PD;
    if (!xiw_stag_may_bind(window.access, region.access))
        return XIW_ERR_ACCESS;
    const u64 base = le64_to_cpu(window.base);
    const u64 length = le64_to_cpu(window.length);
    const u64 at = base - region.base;
    if (base < region.base || at > region.length || length > region.length - at)
        return XIW_ERR_BOUNDS;
    generation = region.generation;
    return XIW_OK;
}

u8 StagTable::set(u32 stag, const xiw_stag_entry &wanted, const Owner *by) {
    auto *to = entry(stag);
    const bool valid = wanted.state == XIW_STAG_VALID;
    const bool linear = (le32_to_cpu(wanted.flags) & XIW_STAGF_LINEAR) != 0;

    if (to == nullptr || wanted.state > XIW_STAG_VALID)
        return XIW_ERR_INVALID;
    if (valid && !is_window(wanted) && !linear &&
        (wanted.page_shift < 12 || wanted.page_shift > 62))
        return XIW_ERR_INVALID;
    u32 generation = 0;
    if (valid && is_window(wanted))
        if (const u8 status = window(wanted, generation); status != XIW_OK)
            return status;
    if (to->state == XIW_STAG_VALID)
        return by != nullptr ? XIW_ERR_STAG : XIW_ERR_BUSY;
    if (by != nullptr && (to->state != XIW_STAG_INVALID || is_window(*to) != is_window(wanted)))
        return XIW_ERR_STAG;
    if (by != nullptr && le32_to_cpu(to->pd) != by->pd)
        return XIW_ERR_PD;
    // Count generations per chunk. The entry cannot contain the count: after an MW has used the
    // entry, the entry contains the generation of the MW's MR.
    if (valid && !is_window(wanted))
        generation = ++chunks_[xiw_stag_index(stag) / XIW_STAG_CHUNK]->generation;
    *to = wanted;
    to->generation = cpu_to_le32(generation);
    tell(stag, *to);
    return XIW_OK;
}

u8 StagTable::clear(u32 stag) {
    if (entry(stag) == nullptr)
        return XIW_ERR_STAG;
    tell_state(stag, XIW_STAG_FREE);
    return XIW_OK;
}

u8 StagTable::invalidate(u32 stag, const Owner &by, bool remote) {
    const auto *found = entry(stag);

    if (found == nullptr)
        return XIW_ERR_STAG;
    const xiw_stag_view view = view_of(*found);
    const auto status = xiw_stag_invalidate_check(&view, stag, by.pd, by.stream, remote);
    if (status == XIW_OK)
        tell_state(stag, XIW_STAG_INVALID);
    return static_cast<u8>(status);
}

xiw_stag_verdict StagTable::check(u32 stag, const Owner &by, u8 access, u64 to, u64 length) const {
    const xiw_stag_use use{stag, by.pd, by.stream, access, to, length};
    const auto *found = entry(stag);

    if (found == nullptr)
        return XIW_STAG_UNKNOWN;
    const xiw_stag_view view = view_of(*found);
    const auto *parent = is_window(*found) ? entry(view.parent) : nullptr;
    if (parent == nullptr)
        return xiw_stag_judge(&view, nullptr, &use);
    const xiw_stag_view region = view_of(*parent);
    return xiw_stag_judge(&view, &region, &use);
}

u32 StagTable::span(u32 stag, u64 to, u32 length, u64 &bus) const {
    const auto *e = entry(stag);

    if (is_window(*e))
        e = entry(le32_to_cpu(e->parent));
    const u32 flags = le32_to_cpu(e->flags);
    u64 at = to - le64_to_cpu(e->base);
    u64 list = le64_to_cpu(e->pages);
    if ((flags & XIW_STAGF_LINEAR) != 0) {
        bus = list + at;
        return length;
    }
    at += le32_to_cpu(e->first);
    const u64 size = u64{1} << e->page_shift;
    u64 page = at >> e->page_shift;
    at &= size - 1;
    if (page >= le32_to_cpu(e->page_count))
        return 0;
    if ((flags & XIW_STAGF_TWO_LEVEL) != 0) {
        if (!memory_.dma().read(list + page / list_entries * sizeof(u64), &list, sizeof(list)))
            return 0;
        list = le64_to_cpu(list);
        page %= list_entries;
    }
    if (!memory_.dma().read(list + page * sizeof(u64), &bus, sizeof(bus)))
        return 0;
    bus = le64_to_cpu(bus) + at;
    return static_cast<u32>(std::min<u64>(length, size - at));
}

} // namespace xiw::rnic
