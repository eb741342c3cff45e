// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LIDs that guid2lid_file says ports had under the subnet manager before.

#include "core/lids/filed_lids.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/bit_set.h"
#include "core/lids/lids.h"

namespace ember {
namespace {

/// LIDs that ports of the fabric have, by their PortInfos.
class PresentLids {
public:
    PresentLids(const Fabric& fabric, const Settings& settings, Arena& scratch)
        : fabric_(fabric),
          settings_(settings),
          had_(scratch.Take<std::uint64_t>(BitSet::WordsFor(fabric.max_lid() + std::size_t{1}))),
          twice_(scratch.Take<std::uint64_t>(BitSet::WordsFor(fabric.max_lid() + std::size_t{1}))) {
        ForEachEndPort(fabric, [this](PortIndex at, const Port& /*port*/) { Enter(at); });
    }

    /// The LID that the port of that GUID would keep; kNoLid: none.
    [[nodiscard]] Lid Of(Guid guid) const {
        const PortIndex at = fabric_.FindPort(guid);
        return at == kNoPortIndex ? kNoLid : UsableOf(at);
    }
    [[nodiscard]] bool IsTwice(Lid lid) const { return twice_.Has(Raw(lid)); }
    [[nodiscard]] bool HasAny(const PortLids& row) const {
        const std::uint32_t most = std::min<std::uint32_t>(Raw(row.most), fabric_.max_lid());
        for (std::uint32_t lid = Raw(row.least); lid <= most; ++lid) {
            if (had_.Has(lid)) return true;
        }
        return false;
    }

private:
    [[nodiscard]] std::uint32_t CountOf(PortIndex at) const {
        return 1U << LmcOf(fabric_, fabric_.port(at), settings_);
    }
    [[nodiscard]] Lid UsableOf(PortIndex at) const {
        if (!IsEntitledToLids(fabric_, at)) return kNoLid;
        const Lid lid = fabric_.port(at).info.Get(PortInfo::kLid);
        const std::uint32_t count = CountOf(at);
        const bool is_aligned = (Raw(lid) & (count - 1)) == 0;
        return is_aligned && Raw(lid) + count - 1 <= fabric_.max_lid() ? lid : kNoLid;
    }
    void Enter(PortIndex at) {
        const Lid first = UsableOf(at);
        if (first == kNoLid) return;
        const std::uint32_t end = Raw(first) + CountOf(at);
        for (std::uint32_t lid = Raw(first); lid < end; ++lid) {
            if (had_.Has(lid)) twice_.Add(lid);
            had_.Add(lid);
        }
    }

    const Fabric& fabric_;
    const Settings& settings_;
    BitSet had_;
    BitSet twice_;
};

/// Whether the row ranks below none of the LIDs in use.
bool IsFree(const PresentLids& present, const PortLids& row) {
    const Lid has = present.Of(row.guid);
    if (has == row.least) return true;  // The file confirms it.
    if (has != kNoLid && !present.IsTwice(has)) return false;
    return !present.HasAny(row);
}

/// The port that some LIDs of the row are kept for; kNoGuid: none.
Guid HolderOf(const LidMap& map, const PortLids& row) {
    for (const KeptLids& kept : map.entries()) {
        const bool meets = kept.least <= row.most && row.least <= kept.most;
        if (meets && kept.guid != row.guid) return kept.guid;
    }
    return kNoGuid;
}

}  // namespace

void KeepFiledLids(const Fabric& fabric, LidMap& map, const Settings& settings, Arena& scratch) {
    const std::span<const PortLids> rows = settings.manager_tables.port_lids;
    if (rows.empty()) return;
    const Arena::Frame frame(scratch);
    const PresentLids present(fabric, settings, scratch);
    for (const PortLids& row : rows) {
        if (map.Find(row.guid) != nullptr || !IsFree(present, row)) continue;
        // A row that is too high or meets another entry is refused, and told by JudgeFiledLids().
        static_cast<void>(map.Keep(row.guid, row.least, row.most));
    }
}

FiledLidsOutcome JudgeFiledLids(const LidMap& map, std::span<const PortLids> rows) {
    FiledLidsOutcome outcome;
    for (const PortLids& row : rows) {
        const KeptLids* const kept = map.Find(row.guid);
        if (kept != nullptr && kept->least == row.least) {
            ++outcome.kept;
            continue;
        }
        ++outcome.refused;
        if (outcome.events.full()) continue;
        const Status added =
            outcome.events.TryPush({.guid = row.guid,
                                    .lid = row.least,
                                    .holder = HolderOf(map, row),
                                    .has = kept == nullptr ? kNoLid : kept->least});
        EMBER_ASSERT(added == Status::kOk);
    }
    EMBER_ASSERT(outcome.kept + outcome.refused == rows.size());
    return outcome;
}

}  // namespace ember
