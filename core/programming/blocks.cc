// SPDX-License-Identifier: Apache-2.0
// EmberSM: LFT blocks, in an order in which no packet ever loops.
//
// While tables change, switches that were written stand beside switches that were not. For one LID
// let the distance of a switch be the length of its new path. A new entry always leads to a smaller
// distance. So a loop needs an old entry that does not: one that leads away. A LID that has such an
// entry at any switch is hot. There are two rounds with a barrier between them:
//   detours  Blocks in which an entry leads away are written. That entry drops, and every other
//            entry of a hot LID stays old, so that no new entry leads to one that still leads away.
//            Other LIDs get their new entries.
//   final    No entry leads away any more, and blocks that differ are written in any order.
// One exception saves most of the detours. The new path of an entry is paved if all switches on it
// have their new entries already. Such an entry is new in the first round: packets that enter the
// path arrive.
// Old tables have no loop of their own. An entry that may lead anywhere counts as one that leads
// away: one in a block whose last Set was not answered, or one into a link that is up and has a
// silent node behind it. docs/decisions/0010-two-rounds-of-blocks.md has the proof.
// Before both, entries of some LIDs drop that will change, and nothing else is written: those that
// TransitionProof names, as old and new ones beside each other might close a credit loop.
// Entries above a switch's LinearFDBTop drop, whatever they say. So a top that rises is set last,
// in the round `tops`, when the blocks above it are right. A top that falls is set before all
// blocks.

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"
#include "core/programming/programming.h"

namespace ember {
namespace {

/// Blocks compared in one Step(): some ten nanoseconds each.
inline constexpr std::size_t kBlocksAtOnce = 16384;
/// Entries examined in one Step(): up to a hundred nanoseconds each.
inline constexpr std::size_t kEntriesAtOnce = 16384;
inline constexpr std::uint8_t kDrop = Transition::kDrop;
inline constexpr SwitchIndex kStranger = Transition::kStranger;

}  // namespace

void Programming::BeginBlocks(const Plan& plan) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    stage_ = Stage::kBlocks;
    progress_ = StageProgress::kMore;
    waiting_ = false;
    row_ = 0;
    block_ = 0;
    EMBER_ASSERT(plan.lfts.stride() >= std::size_t{known_.blocks()} * 64);
    plan_ = plan;
    round_ = Round::kHomes;
    expecting_ = expecting_ && were_right_;
    if (!expecting_) pending_.clear();
    detour_.clear();
    blind_.clear();
    hot_.clear();
    frozen_.clear();
    yield_.clear();
    transition_.Begin({.present = known_.tables(),
                       .known = known_.known(),
                       .blocks_per_row = known_.blocks_per_row(),
                       .planned = plan_.lfts,
                       .hops = plan_.hops});
    top_frozen_ = kNoLid;
    for (KnownLfts::Row& table : known_.rows()) {
        table.lacking = false;
    }
}

StageProgress Programming::StepBlocks(std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kBlocks);
    switch (round_) {
        case Round::kHomes:
            transition_.FindHomes();
            EnterRound(Round::kScan);
            break;
        case Round::kScan:
            expecting_ ? ScanExpected() : Scan();
            break;
        case Round::kJudging:
            Judge();
            break;
        case Round::kYield:
            if (SendAll(pending_, now_us)) EnterRound(Round::kDetours);
            break;
        case Round::kDetours:
            if (!SendAll(detour_, now_us)) break;
            EnterRound(Round::kFinal);
            [[fallthrough]];
        case Round::kFinal:
            if (!SendAll(pending_, now_us)) break;
            EnterRound(Round::kTops);
            switches_.BeginRising(top_frozen_);
            [[fallthrough]];
        case Round::kTops:
            if (plan_.only_known) return StageProgress::kEnd;
            const StageProgress progress = switches_.Step(now_us);
            has_written_ = progress == StageProgress::kEnd;
            return progress;
    }
    return waiting_ ? StageProgress::kWaits : StageProgress::kMore;
}

void Programming::EnterRound(Round round) {
    EMBER_ASSERT(round > round_);
    waiting_ = false;
    row_ = 0;
    round_ = round;
}

/// Finds the blocks that differ, and in those the entries that lead away.
void Programming::Scan() {
    EMBER_ASSERT(round_ == Round::kScan);
    const std::uint32_t blocks = known_.blocks();
    std::size_t examined = 0;
    for (std::size_t i = 0; i < kBlocksAtOnce && examined < kEntriesAtOnce; ++i) {
        if (row_ >= fabric_.switch_bound() || blocks == 0) {
            BeginJudging();
            return;
        }
        const auto at = static_cast<SwitchIndex>(row_);
        if (!known_.IsRouted(at)) {
            ++row_;
            continue;
        }
        if (block_ == 0) MeetSwitch(at);
        examined += Examine(at, block_);
        if (++block_ >= blocks) {
            block_ = 0;
            ++row_;
        }
    }
}

/// The same, where it is known which blocks may differ: few.
void Programming::ScanExpected() {
    EMBER_ASSERT(round_ == Round::kScan);
    EMBER_ASSERT(expecting_);
    const std::uint32_t blocks = known_.blocks();
    outcome_.blocks_right += static_cast<std::uint32_t>(fabric_.switch_count()) * blocks;
    const auto words = pending_.words();
    for (std::size_t word = 0; word < words.size(); ++word) {
        const std::uint64_t marks = words[word];
        words[word] = 0;
        for (std::uint64_t rest = marks; rest != 0; rest &= rest - 1) {
            const std::size_t mark = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
            const auto at = static_cast<SwitchIndex>(mark % known_.marks_per_block());
            MeetSwitch(at);
            --outcome_.blocks_right;
            static_cast<void>(
                Examine(at, static_cast<std::uint32_t>(mark / known_.marks_per_block())));
        }
    }
    BeginJudging();
}

/// Whom the ports of a switch lead to.
void Programming::MeetSwitch(SwitchIndex at) {
    EMBER_ASSERT(fabric_.IsLive(at));
    neighbors_.fill(kNoSwitch);
    const Node& node = fabric_.node(fabric_.switch_row(at).node);
    for (std::size_t port = 1; port <= node.port_count; ++port) {
        neighbors_[port] = transition_.Neighbor(at, static_cast<std::uint8_t>(port));
    }
}

/// How many entries differ, of those that are known.
std::size_t Programming::Examine(SwitchIndex at, std::uint32_t block) {
    EMBER_ASSERT(round_ == Round::kScan);
    EMBER_ASSERT(block < known_.blocks_per_row());
    const std::size_t first = std::size_t{block} * 64;
    const std::uint8_t* const planned = plan_.lfts[at].data() + first;
    const std::uint8_t* const present = known_.Block(at, block);
    const bool known = known_.IsKnown(at, block);
    if (known && std::memcmp(planned, present, 64) == 0) {
        ++outcome_.blocks_right;
        return 0;
    }
    if (!known && plan_.only_known) return 0;
    pending_.Add(known_.MarkOf(at, block));
    if (!known) blind_.Add(known_.MarkOf(at, block));
    const bool is_unconfirmed = known_.IsUnconfirmed(at, block);
    if (!known && !is_unconfirmed) return 0;  // The block was not written since the switch was met.
    const std::size_t live = transition_.LiveEntries(at, block);  // Entries above the top drop.
    std::size_t differing = 0;
    for (std::size_t i = 0; i < live; ++i) {
        if (!is_unconfirmed && planned[i] == present[i]) continue;
        ++differing;
        const SwitchIndex next = is_unconfirmed ? kStranger : neighbors_[present[i]];
        NoteOldEntry(at, next, first + i);
    }
    return differing;
}

/// An entry that will change leads to `next` now. Its LID is judged later.
void Programming::NoteOldEntry(SwitchIndex at, SwitchIndex next, std::size_t lid) {
    if (next != kNoSwitch && next != kStranger) yield_.Add(lid);
    if (!transition_.LeadsAway(at, next, lid)) return;
    hot_.Add(lid);
    detour_.Add(known_.MarkOf(at, static_cast<std::uint32_t>(lid / 64)));
}

/// The LIDs with an old entry into a link that works are in yield_.
void Programming::BeginJudging() {
    EnterRound(Round::kJudging);
    const ProvedRoutes& proved = plan_.proved;
    const bool is_asked = proved.topology != nullptr && !plan_.only_known &&
                          std::any_of(yield_.words().begin(), yield_.words().end(),
                                      [](auto word) { return word != 0; });
    const bool has_room = is_asked && proved.keeps_lanes && TransitionProof::HasRoom(proved);
    if (has_room) {
        transition_proof_.Begin({.proved = proved,
                                 .transition = &transition_,
                                 .differing = pending_,
                                 .marks_per_block = known_.marks_per_block(),
                                 .hot = hot_},
                                yield_);
        return;
    }
    if (is_asked) outcome_.unordered = static_cast<std::uint32_t>(yield_.count());
    outcome_.lacks_order_room = is_asked && proved.keeps_lanes;
    yield_.clear();
    EnterRound(Round::kDetours);
}

void Programming::Judge() {
    EMBER_ASSERT(round_ == Round::kJudging);
    if (transition_proof_.Advance() == Progress::kMore) return;
    outcome_.yielded = static_cast<std::uint32_t>(yield_.count());
    EnterRound(outcome_.yielded == 0 ? Round::kDetours : Round::kYield);
}

/// True when the marked blocks are sent, and the last is answered.
bool Programming::SendAll(const BitSet& marked, std::uint64_t now_us) {
    if (!waiting_) SendMarked(marked, now_us);
    return waiting_ && asker_.in_flight() == 0;
}

/// Goes on through the marked blocks, from mark row_.
void Programming::SendMarked(const BitSet& marked, std::uint64_t now_us) {
    EMBER_ASSERT(!waiting_);
    const auto words = marked.words();
    for (std::size_t i = 0; i < kBlocksAtOnce && asker_.has_room(); ++i) {
        const std::size_t word = row_ / 64;
        if (word >= words.size()) {
            waiting_ = true;
            return;
        }
        const std::uint64_t rest = words[word] & (~std::uint64_t{0} << (row_ % 64));
        if (rest == 0) {
            row_ = (word + 1) * 64;
            continue;
        }
        const std::size_t mark = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        row_ = mark + 1;
        SetBlock(static_cast<SwitchIndex>(mark % known_.marks_per_block()),
                 static_cast<std::uint32_t>(mark / known_.marks_per_block()), now_us);
    }
}

void Programming::SetBlock(SwitchIndex at, std::uint32_t block, std::uint64_t now_us) {
    EMBER_ASSERT(pending_.Has(known_.MarkOf(at, block)));
    EMBER_ASSERT(block < known_.blocks_per_row());
    // A block that is not known waits for the rounds after.
    if (round_ == Round::kYield && !known_.IsKnown(at, block)) return;
    const bool final = round_ == Round::kFinal;
    const Block wanted = Wanted(at, block);
    const std::uint8_t* const present = known_.Block(at, block);
    if (known_.IsKnown(at, block) && std::memcmp(wanted.data(), present, 64) == 0) return;
    Ask ask{};
    if (!asker_.Prepare(fabric_.ManagementPortOf(at), AttributeId::kLinearForwardingTable, ask)) {
        if (final) {
            NoteLacking(at, block);
        } else {
            Freeze(round_ == Round::kYield ? yield_ : hot_, block);
        }
        return;
    }
    ask.method = Method::kSet;
    ask.modifier = block;
    ask.cookie.detail = static_cast<std::uint16_t>(block);
    std::memcpy(ask.data.data(), wanted.data(), 64);
    known_.NoteSent(at, block);
    ++outcome_.blocks_set;
    const std::uint8_t* const planned = plan_.lfts[at].data() + std::size_t{block} * 64;
    if (!final && std::memcmp(wanted.data(), planned, 64) != 0) ++outcome_.detours;
    asker_.Post(ask, RoundAsker::Kind::kSetBlock, Raw(at), now_us);
}

/// A block could not be written: a top below any of its entries stays where it is.
void Programming::NoteLacking(SwitchIndex at, std::uint32_t block) {
    EMBER_ASSERT(round_ == Round::kFinal);
    if (transition_.LiveEntries(at, block) < 64) known_.row(at).lacking = true;
}

Programming::Block Programming::Wanted(SwitchIndex at, std::uint32_t block) const {
    EMBER_ASSERT(round_ == Round::kYield || round_ == Round::kDetours || round_ == Round::kFinal);
    if (round_ == Round::kYield) return Yield(at, block);
    return round_ == Round::kDetours ? Detour(at, block) : Final(at, block);
}

/// The content of a block before the first round: nothing is new yet.
Programming::Block Programming::Yield(SwitchIndex at, std::uint32_t block) const {
    const std::size_t first = std::size_t{block} * 64;
    Block content;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::uint8_t present = known_[at][first + i];
        const bool yields = yield_.Has(first + i) && present != plan_.lfts[at][first + i];
        content[i] = yields ? kDrop : present;
    }
    return content;
}

/// The content of a block in the first round.
Programming::Block Programming::Detour(SwitchIndex at, std::uint32_t block) const {
    EMBER_ASSERT(round_ == Round::kDetours);
    const std::size_t first = std::size_t{block} * 64;
    const bool is_unconfirmed = known_.IsUnconfirmed(at, block);
    Block content;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::size_t lid = first + i;
        const std::uint8_t planned = plan_.lfts[at][lid];
        const std::uint8_t present = known_[at][lid];
        content[i] = planned;
        const bool is_right = planned == present && !is_unconfirmed;
        const bool is_frozen = yield_.Has(lid) && frozen_.Has(lid);
        const bool may_change = !is_frozen && (!hot_.Has(lid) || IsPaved(at, lid));
        if (is_right || may_change) continue;
        const SwitchIndex next = is_unconfirmed ? kStranger : transition_.Neighbor(at, present);
        content[i] = transition_.LeadsAway(at, next, lid) ? kDrop : present;
    }
    return content;
}

/// The block in the second round. A frozen entry stays as the first round left it. If it leads
/// away, or may lead anywhere, it drops until the next round.
Programming::Block Programming::Final(SwitchIndex at, std::uint32_t block) const {
    EMBER_ASSERT(round_ == Round::kFinal);
    const std::size_t first = std::size_t{block} * 64;
    Block content;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::size_t lid = first + i;
        content[i] = plan_.lfts[at][lid];
        if (!frozen_.Has(lid)) continue;
        const std::uint8_t present = known_[at][lid];
        const bool away = blind_.Has(known_.MarkOf(at, block)) ||
                          transition_.LeadsAway(at, transition_.Neighbor(at, present), lid);
        content[i] = away ? kDrop : present;
    }
    return content;
}

/// A block could not be made to drop. So no new entry may lead to the entries of it that may lead
/// away, and no top rises above it. The next round will try again.
void Programming::Freeze(const BitSet& lids, std::uint32_t block) {
    EMBER_ASSERT(round_ == Round::kYield || round_ == Round::kDetours);
    for (std::size_t lid = std::size_t{block} * 64; lid < std::size_t{block} * 64 + 64; ++lid) {
        if (!lids.Has(lid)) continue;
        frozen_.Add(lid);
        top_frozen_ = std::max(top_frozen_, static_cast<Lid>(lid));
    }
}

/// True when every switch behind `at` on the planned path to `lid` has its planned entry for it. A
/// Set under way does not touch entries that were right before.
bool Programming::IsPaved(SwitchIndex at, std::size_t lid) const {
    EMBER_ASSERT(hot_.Has(lid));
    const SwitchIndex home = transition_.HomeOf(lid);
    EMBER_ASSERT(home != kNoSwitch);
    SwitchIndex next = at;
    for (std::size_t i = 0; next != home; ++i) {  // Ends: the plan has no loop.
        next = transition_.Behind(next, plan_.lfts[next][lid]);
        if (next == kNoSwitch || i > fabric_.switch_bound()) return false;
        const auto block = static_cast<std::uint32_t>(lid / 64);
        if (blind_.Has(known_.MarkOf(next, block)) && !known_.IsKnown(next, block)) return false;
        if (known_[next][lid] != plan_.lfts[next][lid]) return false;
    }
    return true;
}

}  // namespace ember
