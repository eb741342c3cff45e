// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the multicast tables that shall be to Set() datagrams.

#include "core/programming/multicast_programming.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Leaves or switches looked at in one Pump().
inline constexpr std::size_t kRowsAtOnce = 2048;
inline constexpr std::size_t kSwitchesAtOnce = 64;
inline constexpr Lid kNoMulticastTop{0xBFFF};

/// A switch that has a LID, and a link that is above INIT, was not reset since we set them.
[[nodiscard]] bool IsAsWeLeftIt(const Fabric& fabric, NodeIndex at) {
    const std::span<const Port> ports = fabric.PortsOf(at);
    if (ports.front().info.Get(PortInfo::kLid) == kNoLid) return false;
    return std::any_of(ports.begin() + 1, ports.end(), [](const Port& port) {
        const PortState state = port.info.Get(PortInfo::kPortState);
        return port.peer != kNoPortIndex && state > PortState::kInitialize;
    });
}

}  // namespace

bool MulticastProgramming::Observe(bool first_master_sweep) {
    EMBER_ASSERT(in_flight_ == 0);
    const bool is_anew = tables_.Fit(fabric_);
    ForEachSwitch(fabric_, [&](SwitchIndex at, const Switch& row) {
        if (row.info.Get(SwitchInfo::kMulticastFdbCap) == 0) return;
        const bool is_fresh = row.info.Get(SwitchInfo::kLinearFdbTop) == kNoLid;
        if (is_fresh) {  // Nobody has ever written a table of it.
            tables_.LearnEmpty(at);
            tops_[at] = kNoLid;
        } else if (first_master_sweep || !IsAsWeLeftIt(fabric_, row.node)) {
            tables_.ForgetSwitch(at);
            tops_[at] = kNoLid;
        }
    });
    return is_anew;
}

void MulticastProgramming::BeginRound() {
    outcome_ = MulticastOutcome{};
    careful_.clear();
    is_frozen_ = false;
}

void MulticastProgramming::Begin(Stage stage) {
    EMBER_ASSERT(in_flight_ == 0);
    stage_ = stage;
    cursor_ = 0;
    at_end_ = stage == Stage::kIdle;
    awaits_block_ = false;
    if (stage == Stage::kSurvey) found_.clear();
}

void MulticastProgramming::Abandon() {
    exchange_.Abandon(Client::kMulticast);
    in_flight_ = 0;
    stage_ = Stage::kIdle;
    at_end_ = true;
}

void MulticastProgramming::Pump(std::uint64_t now_us) {
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
            PumpLeaves(now_us);
            break;
        case Stage::kTops:
            PumpTops(now_us);
            break;
    }
}

bool MulticastProgramming::IsInUse(std::size_t block) const {
    for (std::size_t i = 0; i < MftTables::kEntries; ++i) {
        if (groups_.IsInUse(static_cast<MlidIndex>(block * MftTables::kEntries + i))) return true;
    }
    return false;
}

/// The switch has room for the block.
bool MulticastProgramming::Reaches(SwitchIndex at, std::size_t block) const {
    const std::size_t cap = fabric_.switch_row(at).info.Get(SwitchInfo::kMulticastFdbCap);
    return block * MftTables::kEntries < cap;
}

/// A block has ended, or the first begins. False: it is to be waited for, or was the last.
bool MulticastProgramming::BeginsBlock() {
    awaits_block_ = in_flight_ != 0;
    if (awaits_block_) return false;
    at_end_ = cursor_ >= tables_.leaf_bound() || (cursor_ != 0 && !has_entries_);
    has_entries_ = has_entries_ && at_end_;
    return !at_end_;
}

void MulticastProgramming::PumpSurvey(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kRowsAtOnce && exchange_.has_room(); ++i) {
        const std::size_t position =
            cursor_ < tables_.leaf_bound() ? tables_.PositionOf(cursor_) : 0;
        if (position == 0 && !BeginsBlock()) return;
        if (position >= tables_.position_bound()) {
            cursor_ = tables_.LeafOf(tables_.BlockOf(cursor_) + 1, 0);
            continue;
        }
        const std::size_t leaf = cursor_++;
        const SwitchIndex at = tables_.OwnerOf(position);
        if (at == kNoSwitch || !Reaches(at, tables_.BlockOf(leaf))) continue;
        if (tables_.IsKnown(leaf)) {
            NoteFound(leaf);
        } else {
            ReadLeaf(leaf, now_us);
        }
    }
}

void MulticastProgramming::NoteFound(std::size_t leaf) {
    const MftTables::Leaf& content = tables_.programmed(leaf);
    for (std::size_t i = 0; i < content.size(); ++i) {
        if (content[i] == 0) continue;
        has_entries_ = true;
        found_.Add(tables_.BlockOf(leaf) * MftTables::kEntries + i);
    }
}

void MulticastProgramming::PumpReading(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kRowsAtOnce && exchange_.has_room(); ++i) {
        const std::size_t block = tables_.BlockOf(cursor_);
        if (cursor_ >= tables_.leaf_bound()) {
            at_end_ = true;
            return;
        }
        const std::size_t position = tables_.PositionOf(cursor_);
        if (position >= tables_.position_bound() || (position == 0 && !IsInUse(block))) {
            cursor_ = tables_.LeafOf(block + 1, 0);
            continue;
        }
        const std::size_t leaf = cursor_++;
        const SwitchIndex at = tables_.OwnerOf(position);
        if (at == kNoSwitch || tables_.IsKnown(leaf) || !Reaches(at, block)) continue;
        ReadLeaf(leaf, now_us);
    }
}

void MulticastProgramming::ReadLeaf(std::size_t leaf, std::uint64_t now_us) {
    Ask ask{};
    ask.method = Method::kGet;
    PostLeaf(leaf, ask, Kind::kRead, now_us);
    ++outcome_.leaves_read;
}

/// What is to be cut: of careful MLIDs what is in both trees, of all others what is wanted.
MftTables::Leaf MulticastProgramming::Without(std::size_t leaf) const {
    MftTables::Leaf content = tables_.wanted(leaf);
    const MftTables::Leaf& old = tables_.programmed(leaf);
    const std::size_t first = tables_.BlockOf(leaf) * MftTables::kEntries;
    for (std::size_t i = 0; i < content.size(); ++i) {
        if (careful_.Has(first + i)) content[i] &= old[i];
    }
    return content;
}

MftTables::Leaf MulticastProgramming::Target(std::size_t leaf, Kind kind) const {
    return kind == Kind::kCut || is_frozen_ ? Without(leaf) : tables_.wanted(leaf);
}

void MulticastProgramming::PumpLeaves(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kRowsAtOnce && exchange_.has_room(); ++i) {
        cursor_ = tables_.NextDifference(cursor_);
        if (cursor_ >= tables_.leaf_bound()) {
            at_end_ = true;
            return;
        }
        SetLeaf(cursor_++, now_us);
    }
}

void MulticastProgramming::SetLeaf(std::size_t leaf, std::uint64_t now_us) {
    if (!tables_.IsKnown(leaf)) return;  // It could not be read.
    const bool is_cut = stage_ == Stage::kCutting;
    const MftTables::Leaf& old = tables_.programmed(leaf);
    if (is_cut) {  // Only where a careful MLID has something that must go.
        const std::size_t first = tables_.BlockOf(leaf) * MftTables::kEntries;
        bool must_go = false;
        for (std::size_t i = 0; i < old.size(); ++i) {
            const bool drops = (old[i] & ~tables_.wanted(leaf)[i]) != 0;
            must_go = must_go || (drops && careful_.Has(first + i));
        }
        if (!must_go) return;
    }
    const Kind kind = is_cut ? Kind::kCut : Kind::kWrite;
    const MftTables::Leaf content = Target(leaf, kind);
    if (content == old) return;
    MulticastForwardingTable block;
    for (std::size_t i = 0; i < content.size(); ++i) {
        block.SetMask(i, content[i]);
    }
    Ask ask{};
    ask.method = Method::kSet;
    ask.data = std::bit_cast<SmpData>(block);
    ++outcome_.leaves_set;
    if (is_cut) ++outcome_.cuts;
    tables_.Forget(leaf);  // Until it is acknowledged.
    PostLeaf(leaf, ask, kind, now_us);
}

void MulticastProgramming::PostLeaf(std::size_t leaf, Ask& ask, Kind kind, std::uint64_t now_us) {
    const SwitchIndex at = tables_.OwnerOf(tables_.PositionOf(leaf));
    ask.attribute = AttributeId::kMulticastForwardingTable;
    ask.modifier = MulticastForwardingTable::Modifier(
        static_cast<std::uint32_t>(tables_.BlockOf(leaf)), tables_.OwnPositionOf(leaf));
    ask.cookie.subject = static_cast<std::uint32_t>(leaf);
    Post(at, ask, kind, now_us);
}

void MulticastProgramming::Post(SwitchIndex at, Ask& ask, Kind kind, std::uint64_t now_us) {
    ask.m_key = settings_.m_key;
    ask.cookie.client = Client::kMulticast;
    ask.cookie.kind = static_cast<std::uint8_t>(kind);
    if (fabric_.PathTo(fabric_.ManagementPortOf(at), ask.path) != Status::kOk) {
        ++outcome_.failed;
        return;
    }
    exchange_.Post(ask, now_us);
    ++in_flight_;
}

/// The highest block in which the switch has an entry.
Lid MulticastProgramming::TopOf(SwitchIndex at) const {
    const MftTables::Run& run = tables_.run(at);
    for (std::size_t block = tables_.block_count(); block > 0; --block) {
        for (std::size_t i = run.first; i < run.first + run.count; ++i) {
            const MftTables::Leaf& leaf = tables_.wanted(tables_.LeafOf(block - 1, i));
            if (leaf == MftTables::Leaf{}) continue;
            const auto last = static_cast<MlidIndex>(block * MftTables::kEntries - 1);
            return LidOf(last);
        }
    }
    return kNoMulticastTop;
}

void MulticastProgramming::PumpTops(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kSwitchesAtOnce && exchange_.has_room(); ++i) {
        if (cursor_ >= fabric_.switch_bound() || !settings_.use_mfttop) {
            at_end_ = true;
            return;
        }
        const auto at = static_cast<SwitchIndex>(cursor_++);
        if (fabric_.IsLive(at) && Raw(at) < tops_.size()) SetTop(at, now_us);
    }
}

void MulticastProgramming::SetTop(SwitchIndex at, std::uint64_t now_us) {
    const PortInfo& port = fabric_.port(fabric_.ManagementPortOf(at)).info;
    constexpr std::uint32_t kNeeded = capability_mask::kIsMulticastFdbTopSupported;
    if ((port.Get(PortInfo::kCapabilityMask) & kNeeded) == 0) return;
    const Lid top = TopOf(at);
    const SwitchInfo& info = fabric_.switch_row(at).info;
    const bool is_right = info.Get(SwitchInfo::kMulticastFdbTop) == top;
    if (is_right || tops_[at] == top) return;  // Or the device does not keep it.
    tops_[at] = top;
    SwitchInfo set = info;
    set.Set(SwitchInfo::kMulticastFdbTop, top);
    set.Set(SwitchInfo::kPortStateChange,
            std::uint8_t{0});  // What is there is not for us to clear.
    Ask ask{};
    ask.method = Method::kSet;
    ask.attribute = AttributeId::kSwitchInfo;
    ask.data = std::bit_cast<SmpData>(set);
    ask.cookie.subject = Raw(at);
    ++outcome_.tops_set;
    Post(at, ask, Kind::kTop, now_us);
}

void MulticastProgramming::OnAnswer(const Answer& answer, std::uint64_t now_us) {
    if (in_flight_ == 0) return;  // Abandoned meanwhile.
    --in_flight_;
    const auto kind = static_cast<Kind>(answer.cookie.kind);
    if (kind == Kind::kTop) {
        const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
        if (answer.status != Status::kOk) {
            tops_[at] = kNoLid;
            Fail(answer, at, now_us);
            return;
        }
        const auto kept = std::bit_cast<SwitchInfo>(answer.data);
        fabric_.switch_row(at).info.Set(SwitchInfo::kMulticastFdbTop,
                                        kept.Get(SwitchInfo::kMulticastFdbTop));
        return;
    }
    const std::size_t leaf = answer.cookie.subject;
    const SwitchIndex at = tables_.OwnerOf(tables_.PositionOf(leaf));
    const bool is_unreadable = kind == Kind::kRead && answer.status == Status::kRefused;
    if (answer.status != Status::kOk && !is_unreadable) {
        if (kind == Kind::kCut) is_frozen_ = true;
        Fail(answer, at, now_us);
        return;
    }
    if (kind != Kind::kRead) {
        tables_.Learn(leaf, Target(leaf, kind));
        return;
    }
    // What cannot be read can still be written.
    const auto block = is_unreadable ? MulticastForwardingTable{}
                                     : std::bit_cast<MulticastForwardingTable>(answer.data);
    MftTables::Leaf content{};
    for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = block.mask(i);
    }
    tables_.Learn(leaf, content);
    if (stage_ == Stage::kSurvey) NoteFound(leaf);
}

void MulticastProgramming::Fail(const Answer& answer, SwitchIndex at, std::uint64_t now_us) {
    ++outcome_.failed;
    const std::uint64_t guid = Raw(fabric_.node(fabric_.switch_row(at).node).guid);
    if (answer.status == Status::kTimeout) {
        journal_.WriteSparingly<Note::kSetUnanswered>(now_us, guid, 0U, Raw(answer.attribute),
                                                      answer.modifier);
    } else {
        journal_.WriteSparingly<Note::kSetRefused>(now_us, guid, 0U, Raw(answer.attribute),
                                                   answer.mad_status);
    }
}

}  // namespace ember
