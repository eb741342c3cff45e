// SPDX-License-Identifier: Apache-2.0
// EmberSM: the services that ports offer, and their leases.
#include "core/administration/registrations/services.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/fabric/shares.h"

namespace ember {
namespace {

[[nodiscard]] bool SameService(const ServiceRecord& one, const ServiceRecord& other) {
    return one.Get(ServiceRecord::kServiceId) == other.Get(ServiceRecord::kServiceId) &&
           one.gid() == other.gid() &&
           one.Get(ServiceRecord::kServicePKey) == other.Get(ServiceRecord::kServicePKey);
}

}  // namespace

Services::Services(const Memory& memory) : rows_(memory.rows), index_(memory.slots) {
    EMBER_ASSERT(memory.slots.size() >= RowIndex<ServiceIndex>::SlotsFor(memory.rows.size()));
    EMBER_ASSERT(rows_.size() < Raw(kNoService));
    rows_.fill(Row{});
}

void Services::Clear() {
    rows_.fill(Row{});
    index_.clear();
    free_ = kNoService;
    bound_ = 0;
    next_end_us_ = kNever;
}

std::uint64_t Services::HashOf(const ServiceRecord& record) const {
    const std::uint64_t gid = index_.Hash(record.gid().high, record.gid().low);
    return index_.Hash(record.Get(ServiceRecord::kServiceId),
                       gid ^ std::uint64_t{record.Get(ServiceRecord::kServicePKey)});
}

ServiceIndex Services::Find(const ServiceRecord& named) const {
    return index_.Find(HashOf(named),
                       [&](ServiceIndex at) { return SameService(rows_[at].record, named); });
}

bool Services::HasShareLeft(Guid owner) const {
    if (!IsCrowded(count(), rows_.size())) return true;
    return HasFewer(ShareOf(rows_.size()), bound_, [&](std::size_t i) {
        return rows_[static_cast<ServiceIndex>(i)].owner == owner;
    });
}

/// Its row, or a free one that is its own from now on; kNoService: there is none.
ServiceIndex Services::PlaceFor(const ServiceRecord& record) {
    ServiceIndex at = Find(record);
    if (at != kNoService) return at;
    at = free_;
    if (at != kNoService) {
        free_ = rows_[at].next;
    } else if (bound_ < rows_.size()) {
        at = static_cast<ServiceIndex>(bound_++);
    } else {
        return kNoService;
    }
    EMBER_ASSERT(!IsLive(at));
    rows_[at].record = record;
    index_.Insert(HashOf(record), at);
    return at;
}

void Services::Fill(ServiceIndex at, const ServiceRecord& record, Guid owner,
                    std::uint64_t ends_us) {
    EMBER_ASSERT(owner != kNoGuid);
    Row& row = rows_[at];
    row = Row{};
    row.record = record;
    row.owner = owner;
    row.ends_us = ends_us;
    next_end_us_ = std::min(next_end_us_, ends_us);
}

Status Services::Put(const ServiceRecord& record, Guid owner, std::uint64_t now_us) {
    if (Find(record) == kNoService) {
        if (free_ == kNoService && bound_ == rows_.size()) return Status::kFull;
        if (!HasShareLeft(owner)) return Status::kBusy;
    }
    const ServiceIndex at = PlaceFor(record);
    EMBER_ASSERT(at != kNoService);
    const std::uint32_t lease = record.Get(ServiceRecord::kServiceLease);
    const bool ends = lease != ServiceRecord::kForever;
    Fill(at, record, owner, ends ? now_us + std::uint64_t{lease} * kSecondUs : kNever);
    now_us_ = std::max(now_us_, now_us);
    EmitEntry(sink_, SaEntryKind::kService, EntryOf(rows_[at]));
    return Status::kOk;
}

Status Services::Restore(const ServiceRecord& record, Guid owner, std::uint64_t ends_us) {
    const ServiceIndex at = PlaceFor(record);
    if (at == kNoService) return Status::kFull;
    Fill(at, record, owner, ends_us);
    return Status::kOk;
}

ServiceEntry EntryOf(const Services::Row& row) {
    return {row.record, row.owner, row.ends_us};
}

void Services::Remove(ServiceIndex at) {
    EMBER_ASSERT(IsLive(at));
    const ServiceRecord& gone = rows_[at].record;
    EmitEntry(sink_, SaEntryKind::kServiceGone,
              ServiceNameEntry{gone.Get(ServiceRecord::kServiceId), gone.gid(),
                               gone.Get(ServiceRecord::kServicePKey)});
    index_.Remove(HashOf(rows_[at].record), at,
                  [this](ServiceIndex other) { return HashOf(rows_[other].record); });
    rows_[at] = Row{};
    rows_[at].next = free_;
    free_ = at;
}

void Services::Expire(std::uint64_t now_us) {
    now_us_ = now_us;
    if (now_us < next_end_us_) return;
    next_end_us_ = kNever;
    for (std::size_t i = 0; i < bound_; ++i) {
        const auto at = static_cast<ServiceIndex>(i);
        if (!IsLive(at)) continue;
        if (rows_[at].ends_us <= now_us) {
            Remove(at);
            ++expired_;
        } else {
            next_end_us_ = std::min(next_end_us_, rows_[at].ends_us);
        }
    }
}

ServiceRecord Services::Shown(ServiceIndex at) const {
    EMBER_ASSERT(IsLive(at));
    const Row& row = rows_[at];
    ServiceRecord shown = row.record;
    if (row.ends_us != kNever) {
        const std::uint64_t left_us = row.ends_us - std::min(row.ends_us, now_us_);
        shown.Set(ServiceRecord::kServiceLease, static_cast<std::uint32_t>(left_us / kSecondUs));
    }
    return shown;
}

}  // namespace ember
