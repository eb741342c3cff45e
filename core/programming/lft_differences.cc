// SPDX-License-Identifier: Apache-2.0
// EmberSM: which LFT blocks differ from the plan, and which of their entries may not just change.

#include "core/programming/lft_differences.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Blocks compared in one Advance(): some ten nanoseconds each.
inline constexpr std::size_t kBlocksCompared = 16384;
/// Entries examined in one Advance(): up to a hundred nanoseconds each.
inline constexpr std::size_t kEntriesExamined = 16384;

}  // namespace

LftDifferences::LftDifferences(const Memory& memory, const Limits& limits, const Fabric& fabric,
                               const KnownLfts& known, ProgrammingOutcome& outcome)
    : fabric_(fabric),
      known_(known),
      outcome_(outcome),
      differing_(memory.differing_words),
      detour_(memory.detour_words),
      blind_(memory.blind_words),
      hot_(memory.hot_words),
      yield_(memory.yield_words),
      transition_(memory.homes, fabric) {
    EMBER_ASSERT(memory.differing_words.size() >= KnownLfts::Words(limits));
    EMBER_ASSERT(memory.detour_words.size() >= KnownLfts::Words(limits));
    EMBER_ASSERT(memory.blind_words.size() >= KnownLfts::Words(limits));
    EMBER_ASSERT(memory.hot_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.yield_words.size() >= LidWords(limits));
    EMBER_ASSERT(memory.homes.size() >= LidStride(limits));
}

void LftDifferences::ExpectChanges() {
    EMBER_ASSERT(phase_ == Phase::kDone);
    differing_.clear();
    expecting_ = true;
}

void LftDifferences::Begin(const LftPlan& plan, bool may_trust) {
    EMBER_ASSERT(plan.lfts.stride() >= std::size_t{known_.blocks()} * 64);
    plan_ = plan;
    phase_ = Phase::kHomes;
    has_yielding_ = false;
    row_ = 0;
    block_ = 0;
    expecting_ = expecting_ && may_trust;
    if (!expecting_) differing_.clear();
    detour_.clear();
    blind_.clear();
    hot_.clear();
    yield_.clear();
    transition_.Begin({.present = known_.tables(),
                       .known = known_.known(),
                       .blocks_per_row = known_.blocks_per_row(),
                       .planned = plan_.lfts,
                       .hops = plan_.hops});
}

Progress LftDifferences::Advance() {
    switch (phase_) {
        case Phase::kHomes:
            transition_.FindHomes();
            phase_ = Phase::kComparing;
            break;
        case Phase::kComparing:
            expecting_ ? CompareExpected() : Compare();
            break;
        case Phase::kJudging:
            Judge();
            break;
        case Phase::kDone:
            break;
    }
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

/// Finds the blocks that differ, and in those the entries that lead away.
void LftDifferences::Compare() {
    EMBER_ASSERT(phase_ == Phase::kComparing);
    const std::uint32_t blocks = known_.blocks();
    std::size_t examined = 0;
    for (std::size_t i = 0; i < kBlocksCompared && examined < kEntriesExamined; ++i) {
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
void LftDifferences::CompareExpected() {
    EMBER_ASSERT(phase_ == Phase::kComparing);
    EMBER_ASSERT(expecting_);
    const std::uint32_t blocks = known_.blocks();
    outcome_.blocks_right += static_cast<std::uint32_t>(fabric_.switch_count()) * blocks;
    const auto words = differing_.words();
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

/// Finds the switch behind each port.
void LftDifferences::MeetSwitch(SwitchIndex at) {
    EMBER_ASSERT(fabric_.IsLive(at));
    neighbors_.fill(kNoSwitch);
    const Node& node = fabric_.node(fabric_.switch_row(at).node);
    for (std::size_t port = 1; port <= node.port_count; ++port) {
        neighbors_[port] = transition_.Neighbor(at, static_cast<std::uint8_t>(port));
    }
}

/// How many entries differ, of those that are known.
std::size_t LftDifferences::Examine(SwitchIndex at, std::uint32_t block) {
    EMBER_ASSERT(phase_ == Phase::kComparing);
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
    differing_.Add(known_.MarkOf(at, block));
    if (!known) blind_.Add(known_.MarkOf(at, block));
    const bool is_unconfirmed = known_.IsUnconfirmed(at, block);
    if (!known && !is_unconfirmed) return 0;  // The block was not written since the switch was met.
    const std::size_t live = transition_.LiveEntries(at, block);  // Entries above the top drop.
    std::size_t differing = 0;
    for (std::size_t i = 0; i < live; ++i) {
        if (!is_unconfirmed && planned[i] == present[i]) continue;
        ++differing;
        const SwitchIndex next = is_unconfirmed ? Transition::kStranger : neighbors_[present[i]];
        NoteOldEntry(at, next, first + i);
    }
    return differing;
}

/// An entry that will change leads to `next` now. Its LID is judged later.
void LftDifferences::NoteOldEntry(SwitchIndex at, SwitchIndex next, std::size_t lid) {
    if (next != kNoSwitch && next != Transition::kStranger) yield_.Add(lid);
    if (!transition_.LeadsAway(at, next, lid)) return;
    hot_.Add(lid);
    detour_.Add(known_.MarkOf(at, static_cast<std::uint32_t>(lid / 64)));
}

/// The LIDs with an old entry into a link that works are in yield_.
void LftDifferences::BeginJudging() {
    phase_ = Phase::kJudging;
    const ProvedRoutes& proved = plan_.proved;
    const bool is_asked = proved.topology != nullptr && !plan_.only_known &&
                          std::any_of(yield_.words().begin(), yield_.words().end(),
                                      [](auto word) { return word != 0; });
    const bool has_room = is_asked && proved.keeps_lanes && TransitionProof::HasRoom(proved);
    if (has_room) {
        proof_.Begin({.proved = proved,
                      .transition = &transition_,
                      .differing = differing_,
                      .marks_per_block = known_.marks_per_block(),
                      .hot = hot_},
                     yield_);
        return;
    }
    if (is_asked) outcome_.unordered = static_cast<std::uint32_t>(yield_.count());
    outcome_.lacks_order_room = is_asked && proved.keeps_lanes;
    yield_.clear();
    phase_ = Phase::kDone;
}

void LftDifferences::Judge() {
    EMBER_ASSERT(phase_ == Phase::kJudging);
    if (proof_.Advance() == Progress::kMore) return;
    outcome_.yielded = static_cast<std::uint32_t>(yield_.count());
    has_yielding_ = outcome_.yielded != 0;
    phase_ = Phase::kDone;
}

}  // namespace ember
