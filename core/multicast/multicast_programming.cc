// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the multicast tables that shall be to Set() datagrams.

#include "core/multicast/multicast_programming.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/port_tables/devices.h"

namespace ember {
namespace {

/// Blocks or switches looked at in one Step().
inline constexpr std::size_t kRowsAtOnce = 2048;
inline constexpr std::size_t kSwitchesAtOnce = 64;
inline constexpr Lid kNoMulticastTop{0xBFFF};

[[nodiscard]] MftTables::Block ContentOf(const MulticastForwardingTable& table) {
    MftTables::Block content{};
    for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = table.mask(i);
    }
    return content;
}

}  // namespace

bool MulticastProgramming::Observe(bool first_master_sweep) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    const bool is_anew = tables_.Fit(fabric_);
    ForEachSwitch(fabric_, [&](SwitchIndex at, const Switch& row) {
        if (row.info.Get(SwitchInfo::kMulticastFdbCap) == 0) return;
        const bool is_fresh = row.info.Get(SwitchInfo::kLinearFdbTop) == kNoLid;
        if (is_fresh) {  // No SM has written its tables since its reset.
            tables_.LearnEmpty(at);
            tops_[at] = kNoLid;
        } else if (first_master_sweep || !HasOurTables(fabric_, row.node)) {
            tables_.ForgetSwitch(at);
            tops_[at] = kNoLid;
        }
    });
    return is_anew;
}

void MulticastProgramming::BeginRound() {
    EMBER_ASSERT(asker_.in_flight() == 0);
    outcome_ = MulticastOutcome{};
    careful_.clear();
    is_frozen_ = false;
}

void MulticastProgramming::Begin(Stage stage) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    stage_ = stage;
    cursor_ = 0;
    at_end_ = stage == Stage::kIdle;
    awaits_block_ = false;
    has_learned_ = false;
    if (stage == Stage::kSurvey) found_.clear();
}

void MulticastProgramming::Abandon() {
    asker_.Abandon();
    stage_ = Stage::kIdle;
    at_end_ = true;
}

void MulticastProgramming::Step(std::uint64_t now_us) {
    switch (stage_) {
        case Stage::kIdle:
            break;
        case Stage::kSurvey:
            PumpSurvey(now_us);
            break;
        case Stage::kReading:
            PumpReading(now_us);
            break;
        case Stage::kCutting:
        case Stage::kWriting:
            PumpBlocks(now_us);
            break;
        case Stage::kTops:
            PumpTops(now_us);
            break;
    }
}

/// Entries of an MLID that no group has any more are still to be removed while it is planned: a Set
/// that was to remove them may have failed, and left the content of the block unknown.
bool MulticastProgramming::IsToBeRead(std::size_t block_num) const {
    EMBER_ASSERT(block_num < tables_.block_num_count());
    const std::size_t first = block_num * MftTables::kEntries;
    for (std::size_t i = first; i < first + MftTables::kEntries; ++i) {
        if (groups_.IsInUse(static_cast<MlidIndex>(i)) || planned_.Has(i)) return true;
    }
    return false;
}

/// The switch has room for the block.
bool MulticastProgramming::Reaches(SwitchIndex at, std::size_t block_num) const {
    const std::size_t cap = fabric_.switch_row(at).info.Get(SwitchInfo::kMulticastFdbCap);
    return block_num * MftTables::kEntries < cap;
}

/// A block has ended, or the first begins. False: it is to be waited for, or was the last.
bool MulticastProgramming::BeginsBlock() {
    EMBER_ASSERT(cursor_ >= tables_.block_bound() || tables_.PositionOf(cursor_) == 0);
    EMBER_ASSERT(stage_ == Stage::kSurvey);
    awaits_block_ = asker_.in_flight() != 0;
    if (awaits_block_) return false;
    at_end_ = cursor_ >= tables_.block_bound() || (cursor_ != 0 && !has_entries_);
    has_entries_ = has_entries_ && at_end_;
    return !at_end_;
}

void MulticastProgramming::PumpSurvey(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kSurvey);
    for (std::size_t i = 0; i < kRowsAtOnce && asker_.has_room(); ++i) {
        const std::size_t position =
            cursor_ < tables_.block_bound() ? tables_.PositionOf(cursor_) : 0;
        if (position == 0 && !BeginsBlock()) return;
        if (position >= tables_.position_bound()) {
            cursor_ = tables_.BlockAt(tables_.BlockNumOf(cursor_) + 1, 0);
            continue;
        }
        const std::size_t block = cursor_++;
        const SwitchIndex at = tables_.OwnerOf(position);
        if (at == kNoSwitch || !Reaches(at, tables_.BlockNumOf(block))) continue;
        if (tables_.IsKnown(block)) {
            NoteFound(block);
        } else {
            ReadBlock(block, now_us);
        }
    }
}

void MulticastProgramming::NoteFound(std::size_t block) {
    EMBER_ASSERT(tables_.IsKnown(block));
    EMBER_ASSERT(block < tables_.block_bound());
    const MftTables::Block& content = tables_.programmed(block);
    for (std::size_t i = 0; i < content.size(); ++i) {
        if (content[i] == 0) continue;
        has_entries_ = true;
        found_.Add(tables_.BlockNumOf(block) * MftTables::kEntries + i);
    }
}

void MulticastProgramming::PumpReading(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kReading);
    for (std::size_t i = 0; i < kRowsAtOnce && asker_.has_room(); ++i) {
        const std::size_t block_num = tables_.BlockNumOf(cursor_);
        if (cursor_ >= tables_.block_bound()) {
            at_end_ = true;
            return;
        }
        const std::size_t position = tables_.PositionOf(cursor_);
        if (position >= tables_.position_bound() || (position == 0 && !IsToBeRead(block_num))) {
            cursor_ = tables_.BlockAt(block_num + 1, 0);
            continue;
        }
        const std::size_t block = cursor_++;
        const SwitchIndex at = tables_.OwnerOf(position);
        if (at == kNoSwitch || tables_.IsKnown(block) || !Reaches(at, block_num)) continue;
        ReadBlock(block, now_us);
    }
}

void MulticastProgramming::ReadBlock(std::size_t block, std::uint64_t now_us) {
    EMBER_ASSERT(!tables_.IsKnown(block));
    EMBER_ASSERT(block < tables_.block_bound());
    Ask ask{};
    ask.method = Method::kGet;
    PostBlock(block, ask, Kind::kRead, now_us);
    ++outcome_.blocks_read;
}

/// The block after a cut: of careful MLIDs what is in both trees, of all others what is wanted.
MftTables::Block MulticastProgramming::Without(std::size_t block) const {
    MftTables::Block content = tables_.wanted(block);
    const MftTables::Block& old = tables_.programmed(block);
    const std::size_t first = tables_.BlockNumOf(block) * MftTables::kEntries;
    for (std::size_t i = 0; i < content.size(); ++i) {
        if (careful_.Has(first + i)) content[i] &= old[i];
    }
    return content;
}

MftTables::Block MulticastProgramming::Target(std::size_t block, Kind kind) const {
    return kind == Kind::kCut || is_frozen_ ? Without(block) : tables_.wanted(block);
}

void MulticastProgramming::PumpBlocks(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kCutting || stage_ == Stage::kWriting);
    for (std::size_t i = 0; i < kRowsAtOnce && asker_.has_room(); ++i) {
        cursor_ = tables_.NextDifference(cursor_);
        if (cursor_ >= tables_.block_bound()) {
            at_end_ = true;
            return;
        }
        SetBlock(cursor_++, now_us);
    }
}

void MulticastProgramming::SetBlock(std::size_t block, std::uint64_t now_us) {
    EMBER_ASSERT(block < tables_.block_bound());
    if (!tables_.IsKnown(block)) return;  // The block could not be read.
    const bool is_cut = stage_ == Stage::kCutting;
    const MftTables::Block& old = tables_.programmed(block);
    if (is_cut) {  // Only where a careful MLID has something that must go.
        const std::size_t first = tables_.BlockNumOf(block) * MftTables::kEntries;
        bool must_go = false;
        for (std::size_t i = 0; i < old.size(); ++i) {
            const bool drops = (old[i] & ~tables_.wanted(block)[i]) != 0;
            must_go = must_go || (drops && careful_.Has(first + i));
        }
        if (!must_go) return;
    }
    const Kind kind = is_cut ? Kind::kCut : Kind::kWrite;
    const MftTables::Block content = Target(block, kind);
    if (content == old) return;
    MulticastForwardingTable table;
    for (std::size_t i = 0; i < content.size(); ++i) {
        table.SetMask(i, content[i]);
    }
    Ask ask{};
    ask.method = Method::kSet;
    ask.data = std::bit_cast<SmpData>(table);
    ++outcome_.blocks_set;
    if (is_cut) ++outcome_.cuts;
    tables_.Forget(block);  // Until it is acknowledged.
    PostBlock(block, ask, kind, now_us);
}

void MulticastProgramming::PostBlock(std::size_t block, Ask& ask, Kind kind, std::uint64_t now_us) {
    const SwitchIndex at = tables_.OwnerOf(tables_.PositionOf(block));
    EMBER_ASSERT(at != kNoSwitch);
    ask.attribute = AttributeId::kMulticastForwardingTable;
    ask.modifier = MulticastForwardingTable::Modifier(
        static_cast<std::uint32_t>(tables_.BlockNumOf(block)), tables_.OwnPositionOf(block));
    Post(at, ask, kind, static_cast<std::uint32_t>(block), now_us);
}

void MulticastProgramming::Post(SwitchIndex at, Ask& ask, Kind kind, std::uint32_t subject,
                                std::uint64_t now_us) {
    if (asker_.FindPath(fabric_.ManagementPortOf(at), ask)) {
        asker_.Post(ask, kind, subject, now_us);
    } else {
        ++outcome_.failed;
    }
}

/// The highest block in which the switch has an entry.
Lid MulticastProgramming::TopOf(SwitchIndex at) const {
    const MftTables::Run& run = tables_.run(at);
    for (std::size_t bound = tables_.block_num_count(); bound > 0; --bound) {
        for (std::size_t i = run.first; i < run.first + run.count; ++i) {
            const MftTables::Block& block = tables_.wanted(tables_.BlockAt(bound - 1, i));
            if (block == MftTables::Block{}) continue;
            const auto last = static_cast<MlidIndex>(bound * MftTables::kEntries - 1);
            return LidOf(last);
        }
    }
    return kNoMulticastTop;
}

void MulticastProgramming::PumpTops(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kTops);
    for (std::size_t i = 0; i < kSwitchesAtOnce && asker_.has_room(); ++i) {
        if (cursor_ >= fabric_.switch_bound() || !settings_.use_mfttop) {
            at_end_ = true;
            return;
        }
        const auto at = static_cast<SwitchIndex>(cursor_++);
        if (fabric_.IsLive(at) && Raw(at) < tops_.size()) SetTop(at, now_us);
    }
}

void MulticastProgramming::SetTop(SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(fabric_.IsLive(at));
    const PortInfo& port = fabric_.port(fabric_.ManagementPortOf(at)).info;
    constexpr std::uint32_t kNeeded = capability_mask::kIsMulticastFdbTopSupported;
    if ((port.Get(PortInfo::kCapabilityMask) & kNeeded) == 0) return;
    const Lid top = TopOf(at);
    const SwitchInfo& info = fabric_.switch_row(at).info;
    const bool is_right = info.Get(SwitchInfo::kMulticastFdbTop) == top;
    if (is_right || tops_[at] == top) return;  // Or the device does not keep it.
    SwitchInfo set = info;
    set.Set(SwitchInfo::kMulticastFdbTop, top);
    set.Set(SwitchInfo::kPortStateChange,
            std::uint8_t{0});  // A change noted there is not for us to clear.
    Ask ask{};
    ask.method = Method::kSet;
    ask.attribute = AttributeId::kSwitchInfo;
    ask.data = std::bit_cast<SmpData>(set);
    ++outcome_.tops_set;
    Post(at, ask, Kind::kTop, Raw(at), now_us);
}

void MulticastProgramming::Hear(const Answer& answer, std::uint64_t now_us) {
    if (!asker_.Take()) return;  // Abandoned meanwhile.
    EMBER_ASSERT(stage_ != Stage::kIdle);
    const auto kind = static_cast<Kind>(answer.cookie.kind);
    if (kind == Kind::kTop) {
        const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
        tops_[at] = kNoLid;
        if (answer.status != Status::kOk) {
            Fail(answer, at, now_us);
            return;
        }
        const Lid sent = std::bit_cast<SwitchInfo>(answer.asked).Get(SwitchInfo::kMulticastFdbTop);
        const Lid kept = std::bit_cast<SwitchInfo>(answer.data).Get(SwitchInfo::kMulticastFdbTop);
        if (kept != sent) tops_[at] = sent;
        fabric_.switch_row(at).info.Set(SwitchInfo::kMulticastFdbTop, kept);
        return;
    }
    const std::size_t block = answer.cookie.subject;
    EMBER_ASSERT(block < tables_.block_bound());
    const SwitchIndex at = tables_.OwnerOf(tables_.PositionOf(block));
    const bool is_unreadable = kind == Kind::kRead && answer.status == Status::kRefused;
    if (answer.status != Status::kOk && !is_unreadable) {
        if (kind == Kind::kCut) is_frozen_ = true;
        Fail(answer, at, now_us);
        return;
    }
    // The plan may have changed since: the switch has what the Set bore. A block that cannot be
    // read can still be written.
    const SmpData& held = kind == Kind::kRead ? answer.data : answer.asked;
    const auto table =
        is_unreadable ? MulticastForwardingTable{} : std::bit_cast<MulticastForwardingTable>(held);
    tables_.Learn(block, ContentOf(table));
    if (kind != Kind::kRead) return;
    has_learned_ = true;
    if (stage_ == Stage::kSurvey) NoteFound(block);
}

void MulticastProgramming::Fail(const Answer& answer, SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(answer.status != Status::kOk);
    ++outcome_.failed;
    LogFailure(fabric_, fabric_.ManagementPortOf(at), answer, log_, now_us);
}

}  // namespace ember
