// SPDX-License-Identifier: Apache-2.0
// EmberSM: gives every end port its LIDs.

#include "core/lids/lids.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/assert.h"
#include "core/lids/kept_share.h"
#include "core/lids/linear_caps.h"

namespace ember {
namespace {

/// A run of LIDs that no port has.
struct FreeRange {
    std::uint16_t least;
    std::uint16_t most;
};

/// An assignment, and the data that its steps share.
class Assigner {
public:
    Assigner(Fabric& fabric, LidMap& map, const Settings& settings, bool trust, Arena& scratch)
        : fabric_(fabric),
          map_(map),
          settings_(settings),
          trust_present_(trust),
          scratch_(scratch),
          keys_(scratch.Take<std::uint64_t>(fabric.port_bound())),
          order_(scratch.Take<PortIndex>(fabric.port_bound())),
          claims_(scratch.Take<PortIndex>(std::size_t{fabric.max_lid()} + 1)),
          free_(scratch.Take<FreeRange>(std::size_t{fabric.max_lid()} / 2 + 2)) {}

    LidOutcome Run() {
        SortPorts();
        FindTopLid();
        DropUnfitEntries();
        CollectClaims();
        FindFreeRanges();
        for (std::size_t i = 0; i < order_count_; ++i) {
            GiveTo(order_[i]);
        }
        LeaveOutSwitches();
        KeptShare(fabric_, map_).Run(order_.first(order_count_), scratch_);
        EMBER_ASSERT(outcome_.given + outcome_.without == order_count_);
        EMBER_ASSERT(outcome_.moved <= outcome_.given);
        EMBER_ASSERT(outcome_.replaced <= outcome_.moved);
        return outcome_;
    }

private:
    void SortPorts();
    void FindTopLid();
    [[nodiscard]] std::uint32_t LidsNeeded() const;
    void LeaveOutSwitches();
    void DropUnfitEntries();
    void CollectClaims();
    void FindFreeRanges();
    void GiveTo(PortIndex at);
    void NoteDuplicate(Lid lid, PortIndex at);
    void NoteMove(const Port& port, Lid lid);
    [[nodiscard]] std::uint32_t PresentHolds(std::uint32_t lid) const;
    [[nodiscard]] bool AnyKept(std::uint32_t least, std::uint32_t count) const;
    [[nodiscard]] std::uint32_t TakeFree(std::uint32_t count);
    [[nodiscard]] std::uint32_t Find(std::uint32_t count);
    void MakeRoom();
    [[nodiscard]] bool IsEntitled(PortIndex at) const { return IsEntitledToLids(fabric_, at); }
    [[nodiscard]] bool MayKeepPresent(const Port& port, std::uint32_t count) const;

    [[nodiscard]] std::uint8_t LmcOf(const Port& port) const {
        return ember::LmcOf(fabric_, port, settings_);
    }
    [[nodiscard]] static std::uint32_t PresentLid(const Port& port) {
        return Raw(port.info.Get(PortInfo::kLid));
    }

    Fabric& fabric_;
    LidMap& map_;
    const Settings& settings_;
    bool trust_present_;
    Arena& scratch_;
    std::span<std::uint64_t> keys_;  ///< Of order_, while it is sorted.
    std::span<PortIndex> order_;     ///< The end ports, the SM's own first.
    std::span<PortIndex> claims_;    ///< By LID: the port whose PortInfo has it.
    std::span<FreeRange> free_;
    std::size_t order_count_ = 0;
    std::size_t free_count_ = 0;
    std::size_t first_free_ = 0;
    std::uint32_t top_ = 0;       ///< Highest LID that is given anew.
    std::uint32_t most_top_ = 0;  ///< Highest LID that most switches can forward to.
    bool is_pressed_ = false;     ///< No LID was left: only what present ports need is held.
    bool has_skipped_ = false;    ///< Alignment has skipped free LIDs since free_ was made.
    LidOutcome outcome_;
};

void Assigner::SortPorts() {
    EMBER_ASSERT(order_count_ == 0);
    ForEachEndPort(fabric_, [this](PortIndex at, const Port& /*port*/) {
        if (IsEntitled(at)) {
            order_[order_count_++] = at;
        } else {
            // The map keeps the port's LIDs for its return. The port has none meanwhile: after the
            // map was cleared another port may get them, and a LID must not have two owners.
            fabric_.GiveLids(at, kNoLid, 0);
        }
    });
    EMBER_ASSERT(order_count_ <= order_.size());
    const std::span<std::uint64_t> keys = keys_.first(order_count_);
    for (std::size_t i = 0; i < order_count_; ++i) {
        keys[i] = SortKey(fabric_.port(order_[i]).guid, settings_.order);
    }
    SortByKey(keys, order_.first(order_count_), scratch_);
    // The SM's own port comes first, whatever its GUID.
    const std::span<PortIndex> sorted = order_.first(order_count_);
    const auto own = std::find(sorted.begin(), sorted.end(), fabric_.own_port());
    if (own != sorted.end()) std::rotate(sorted.begin(), own, own + 1);
}

/// A LID up to which all ports find LIDs: alignment costs a port at most one run.
std::uint32_t Assigner::LidsNeeded() const {
    EMBER_ASSERT(order_count_ <= order_.size());
    std::uint32_t needed = static_cast<std::uint32_t>(order_count_ + 1) << settings_.lmc;
    for (std::size_t i = 0; i < order_count_; ++i) {
        const KeptLids* const kept = map_.Find(fabric_.port(order_[i]).guid);
        if (kept != nullptr && Raw(kept->most) <= most_top_) {
            needed = std::max<std::uint32_t>(needed, Raw(kept->most));
        }
    }
    return needed;
}

void Assigner::FindTopLid() {
    most_top_ = TopLidForMost(fabric_);
    top_ = most_top_;
    const std::uint32_t needed = LidsNeeded();
    const NodeIndex own = OwnSwitchOf(fabric_);
    ForEachSwitch(fabric_, [&](SwitchIndex, const Switch& row) {
        const std::uint32_t room = RoomOf(row);
        if (room > needed || row.node == own) top_ = std::min(top_, room - 1);
    });
    EMBER_ASSERT(top_ <= fabric_.max_lid());
}

/// Leaves out each switch that cannot hold all assigned LIDs. Only it and nodes behind it suffer.
void Assigner::LeaveOutSwitches() {
    const std::uint32_t in_force = Raw(fabric_.top_lid());
    const NodeIndex own = OwnSwitchOf(fabric_);
    ForEachSwitch(fabric_, [&](SwitchIndex at, const Switch& row) {
        const std::uint16_t cap = row.info.Get(SwitchInfo::kLinearFdbCap);
        const bool is_left_out = RoomOf(row) <= in_force && row.node != own;
        Node& node = fabric_.node(row.node);
        if (is_left_out) {
            ++outcome_.left_out;
            fabric_.GiveLids(fabric_.ManagementPortOf(at), kNoLid, 0);
        }
        const bool was_left_out = node.is_left_out;
        if (was_left_out == is_left_out) return;
        node.is_left_out = is_left_out;
        ++outcome_.cap_changes;
        if (outcome_.cap_events.full()) return;
        const Status added = outcome_.cap_events.TryPush({node.guid, cap, is_left_out});
        EMBER_ASSERT(added == Status::kOk);
    });
}

void Assigner::DropUnfitEntries() {
    for (std::size_t i = 0; i < order_count_; ++i) {
        const Port& port = fabric_.port(order_[i]);
        const KeptLids* const kept = map_.Find(port.guid);
        if (kept == nullptr) continue;
        const std::uint32_t count = 1U << LmcOf(port);
        const std::uint32_t width = Raw(kept->most) - Raw(kept->least) + 1U;
        const bool aligned = (Raw(kept->least) & (count - 1)) == 0;
        if (width < count || !aligned || Raw(kept->most) > most_top_) {
            map_.Forget(port.guid);
        }
    }
}

void Assigner::CollectClaims() {
    EMBER_ASSERT(top_ < claims_.size());
    EMBER_ASSERT(order_count_ <= order_.size());
    std::fill(claims_.begin(), claims_.end(), kNoPortIndex);
    if (!trust_present_) return;
    // In the order of the table, so that the later of two claimants owns the mark; see GiveTo().
    for (std::size_t i = 0; i < order_count_; ++i) {
        const Port& port = fabric_.port(order_[i]);
        const std::uint32_t lid = PresentLid(port);
        // A port may say that it has 128 LIDs. Where LIDs are short, it holds what it gets.
        const std::uint32_t count = 1U
                                    << (is_pressed_ ? LmcOf(port) : port.info.Get(PortInfo::kLmc));
        if (lid == 0 || lid + count - 1 > top_) continue;
        for (std::uint32_t j = lid; j < lid + count; ++j) {
            const bool is_twice = claims_[j] != kNoPortIndex && !is_pressed_;
            if (is_twice) NoteDuplicate(static_cast<Lid>(j), order_[i]);
            claims_[j] = order_[i];
        }
    }
}

/// How many LIDs from `lid` on a port without an entry in the map keeps; 0: `lid` is free.
std::uint32_t Assigner::PresentHolds(std::uint32_t lid) const {
    EMBER_ASSERT(lid < claims_.size());
    if (claims_[lid] == kNoPortIndex) return 0;
    const Port& port = fabric_.port(claims_[lid]);
    if (map_.Find(port.guid) != nullptr) return 0;  // The port moves to the LIDs kept for it.
    const std::uint32_t count = 1U << LmcOf(port);
    const std::uint32_t least = PresentLid(port);
    if ((least & (count - 1)) != 0 || least + count - 1 > top_) return 0;
    if (AnyKept(least, count)) return 0;
    return least + count - 1 >= lid ? least + count - lid : 1;
}

void Assigner::FindFreeRanges() {
    EMBER_ASSERT(free_count_ == 0);
    bool open = false;
    for (std::uint32_t lid = 1; lid <= top_; ++lid) {
        const std::uint32_t held = map_.IsKept(static_cast<Lid>(lid)) ? 1 : PresentHolds(lid);
        if (held != 0) {
            open = false;
            lid += held - 1;
            continue;
        }
        if (!open) {
            // At least one LID lies between two ranges, so there are half as many as LIDs.
            free_[free_count_++] = {static_cast<std::uint16_t>(lid), 0};
            open = true;
        }
        free_[free_count_ - 1].most = static_cast<std::uint16_t>(lid);
    }
    EMBER_ASSERT(free_count_ <= free_.size());
}

bool Assigner::AnyKept(std::uint32_t least, std::uint32_t count) const {
    EMBER_ASSERT(count > 0);
    for (std::uint32_t lid = least; lid < least + count; ++lid) {
        if (map_.IsKept(static_cast<Lid>(lid))) return true;
    }
    return false;
}

/// First fit; LIDs that alignment skips stay unused until MakeRoom(). 0: none is left.
std::uint32_t Assigner::TakeFree(std::uint32_t count) {
    EMBER_ASSERT(std::has_single_bit(count));
    while (first_free_ < free_count_ && free_[first_free_].least > free_[first_free_].most) {
        ++first_free_;
    }
    for (std::size_t i = first_free_; i < free_count_; ++i) {
        std::uint32_t least = (free_[i].least + count - 1) & ~(count - 1);
        // A LID counts as free when the later of two claimants has another one. Its earlier
        // claimant may have kept it since. Ends: the range is finite.
        while (least + count - 1 <= free_[i].most && AnyKept(least, count)) {
            least += count;
        }
        if (least + count - 1 > free_[i].most) continue;
        has_skipped_ = has_skipped_ || least != free_[i].least;
        free_[i].least = static_cast<std::uint16_t>(least + count);
        return least;
    }
    return 0;
}

/// As TakeFree(). Before a port goes without, room is made.
std::uint32_t Assigner::Find(std::uint32_t count) {
    const std::uint32_t lid = TakeFree(count);
    const bool may_help = !is_pressed_ || has_skipped_;
    if (lid != 0 || !may_help) return lid;
    MakeRoom();
    return TakeFree(count);
}

/// Takes back all LIDs that no present port needs: those kept for ports that are gone or have no
/// link, those of a range that is kept since LMC was larger, those that an answer claims besides,
/// and those that alignment has skipped. A port that comes back after years gets its LIDs, unless
/// present ports lack them.
void Assigner::MakeRoom() {
    EMBER_ASSERT(!is_pressed_ || has_skipped_);
    for (std::size_t i = map_.entries().size(); !is_pressed_ && i > 0; --i) {
        // Forget() puts the last entry in the hole, Keep() one behind the last.
        const KeptLids kept = map_.entries()[i - 1];
        const PortIndex at = fabric_.FindPort(kept.guid);
        if (at == kNoPortIndex || !IsEntitled(at)) {
            map_.Forget(kept.guid);
            continue;
        }
        const std::uint32_t count = 1U << LmcOf(fabric_.port(at));
        const auto most = static_cast<Lid>(Raw(kept.least) + count - 1);
        if (most >= kept.most) continue;
        Status narrowed = map_.Keep(kept.guid, kept.least, most);
        if (narrowed == Status::kOk) narrowed = map_.NoteExit(kept.guid, kept.exit);
        EMBER_ASSERT(narrowed == Status::kOk);
    }
    is_pressed_ = true;
    has_skipped_ = false;
    free_count_ = 0;
    first_free_ = 0;
    CollectClaims();
    FindFreeRanges();
}

bool Assigner::MayKeepPresent(const Port& port, std::uint32_t count) const {
    EMBER_ASSERT(std::has_single_bit(count));
    const std::uint32_t lid = PresentLid(port);
    if (!trust_present_ || lid == 0 || lid + count - 1 > top_) return false;
    return (lid & (count - 1)) == 0 && !AnyKept(lid, count);
}

/// Notes that `at` and the port in claims_ have the same LID. The map may say which one keeps it.
void Assigner::NoteDuplicate(Lid lid, PortIndex at) {
    EMBER_ASSERT(claims_[Raw(lid)] != kNoPortIndex);
    ++outcome_.duplicates;
    if (outcome_.claims.full()) return;
    Guid keeper = fabric_.port(claims_[Raw(lid)]).guid;
    Guid other = fabric_.port(at).guid;
    const KeptLids* const kept = map_.Find(other);
    if (kept != nullptr && kept->least <= lid && lid <= kept->most) std::swap(keeper, other);
    const Status added = outcome_.claims.TryPush({.guid = keeper, .other = other, .lid = lid});
    EMBER_ASSERT(added == Status::kOk);
}

void Assigner::NoteMove(const Port& port, Lid lid) {
    ++outcome_.moved;
    const Lid before = port.info.Get(PortInfo::kLid);
    if (before == kNoLid) return;
    ++outcome_.replaced;
    if (outcome_.moves.full()) return;
    const Status added = outcome_.moves.TryPush({.guid = port.guid, .lid = lid, .before = before});
    EMBER_ASSERT(added == Status::kOk);
}

void Assigner::GiveTo(PortIndex at) {
    const Port& port = fabric_.port(at);
    const std::uint8_t lmc = LmcOf(port);
    const std::uint32_t count = 1U << lmc;
    std::uint32_t lid = 0;
    if (const KeptLids* const kept = map_.Find(port.guid); kept != nullptr) {
        lid = Raw(kept->least);
    } else {
        lid = MayKeepPresent(port, count) ? PresentLid(port) : Find(count);
        if (lid == 0) {
            if (outcome_.without++ == 0) outcome_.first_without = port.guid;
            outcome_.highest = top_;
            fabric_.NoteLidShortage(top_ + outcome_.without * count);
            fabric_.GiveLids(at, kNoLid, 0);
            return;
        }
        const Status kept_now =
            map_.Keep(port.guid, static_cast<Lid>(lid), static_cast<Lid>(lid + count - 1));
        EMBER_ASSERT(kept_now == Status::kOk);
    }
    EMBER_ASSERT((lid & (count - 1)) == 0);
    EMBER_ASSERT(lid + count - 1 <= fabric_.max_lid());
    ++outcome_.given;
    if (lid != PresentLid(port)) NoteMove(port, static_cast<Lid>(lid));
    fabric_.GiveLids(at, static_cast<Lid>(lid), lmc);
}

}  // namespace

bool IsEntitledToLids(const Fabric& fabric, PortIndex at) {
    const Port& port = fabric.port(at);
    return port.has_info && port.guid != kNoGuid &&
           (port.peer != kNoPortIndex || at == fabric.own_port() || port.number == kManagementPort);
}

std::uint8_t LmcOf(const Fabric& fabric, const Port& port, const Settings& settings) {
    const Node& node = fabric.node(port.node);
    if (node.type != NodeType::kSwitch) return settings.lmc;
    const bool enhanced =
        fabric.switch_row(node.switch_index).info.Get(SwitchInfo::kEnhancedPort0) != 0;
    return enhanced && settings.lmc_esp0 ? settings.lmc : std::uint8_t{0};
}

LidOutcome AssignLids(Fabric& fabric, LidMap& map, const Settings& settings, bool trust_present,
                      Arena& scratch) {
    const Arena::Frame frame(scratch);
    return Assigner(fabric, map, settings, trust_present, scratch).Run();
}

}  // namespace ember
