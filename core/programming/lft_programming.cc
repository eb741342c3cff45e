// SPDX-License-Identifier: Apache-2.0
// EmberSM: LFT blocks, in an order in which no packet ever loops.

#include "core/programming/lft_programming.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ember {
namespace {

/// Words of marks looked at, or blocks sent, in one Step().
inline constexpr std::size_t kBlocksAtOnce = 16384;
inline constexpr std::uint8_t kDrop = Transition::kDrop;
inline constexpr SwitchIndex kStranger = Transition::kStranger;

}  // namespace

LftProgramming::LftProgramming(const Memory& memory, const Limits& limits, const Parts& parts)
    : parts_(parts),
      differences_(memory.differences, limits, parts.fabric, parts.known, parts.outcome),
      frozen_(memory.frozen_words) {
    EMBER_ASSERT(memory.frozen_words.size() >= LftDifferences::LidWords(limits));
}

void LftProgramming::BeginRound(bool was_right) {
    were_right_ = was_right && has_written_ && !has_unlikes_;
    has_written_ = false;
    has_unlikes_ = false;
    differences_.BeginRound();
}

void LftProgramming::Begin(const LftPlan& plan) {
    round_ = Round::kComparing;
    differences_.Begin(plan, were_right_);
    frozen_.clear();
    top_frozen_ = kNoLid;
    for (KnownLfts::Row& row : parts_.known.rows()) {
        row.lacking = false;
    }
}

StageProgress LftProgramming::Step(std::uint64_t now_us) {
    switch (round_) {
        case Round::kComparing:
            if (differences_.Advance() == Progress::kMore) return StageProgress::kMore;
            Enter(differences_.has_yielding() ? Round::kYield : Round::kDetours);
            return StageProgress::kMore;
        case Round::kYield:
            if (!SendAll(differences_.differing(), now_us)) break;
            Enter(Round::kDetours);
            return StageProgress::kMore;
        case Round::kDetours:
            if (!SendAll(differences_.detours(), now_us)) break;
            Enter(Round::kFinal);
            [[fallthrough]];
        case Round::kFinal:
            if (!SendAll(differences_.differing(), now_us)) break;
            Enter(Round::kTops);
            parts_.switches.BeginRising(top_frozen_);
            [[fallthrough]];
        case Round::kTops:
            if (differences_.plan().only_known) return StageProgress::kEnd;
            const StageProgress progress = parts_.switches.Step(now_us);
            has_written_ = progress == StageProgress::kEnd;
            return progress;
    }
    return is_sent_ ? StageProgress::kWaits : StageProgress::kMore;
}

void LftProgramming::Enter(Round round) {
    EMBER_ASSERT(round > round_);
    is_sent_ = false;
    mark_ = 0;
    round_ = round;
}

/// True when the marked blocks are sent, and the last is answered.
bool LftProgramming::SendAll(const BitSet& marked, std::uint64_t now_us) {
    if (!is_sent_) SendMarked(marked, now_us);
    return is_sent_ && parts_.asker.in_flight() == 0;
}

/// Goes on through the marked blocks.
void LftProgramming::SendMarked(const BitSet& marked, std::uint64_t now_us) {
    EMBER_ASSERT(!is_sent_);
    const auto words = marked.words();
    for (std::size_t i = 0; i < kBlocksAtOnce && parts_.asker.has_room(); ++i) {
        const std::size_t word = mark_ / 64;
        if (word >= words.size()) {
            is_sent_ = true;
            return;
        }
        const std::uint64_t rest = words[word] & (~std::uint64_t{0} << (mark_ % 64));
        if (rest == 0) {
            mark_ = (word + 1) * 64;
            continue;
        }
        const std::size_t mark = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        mark_ = mark + 1;
        Set(static_cast<SwitchIndex>(mark % parts_.known.marks_per_block()),
            static_cast<std::uint32_t>(mark / parts_.known.marks_per_block()), now_us);
    }
}

void LftProgramming::Set(SwitchIndex at, std::uint32_t block, std::uint64_t now_us) {
    EMBER_ASSERT(differences_.differing().Has(parts_.known.MarkOf(at, block)));
    EMBER_ASSERT(block < parts_.known.blocks_per_row());
    // A block that is not known waits for the rounds after.
    if (round_ == Round::kYield && !parts_.known.IsKnown(at, block)) return;
    const bool final = round_ == Round::kFinal;
    const Block wanted = Wanted(at, block);
    const std::uint8_t* const present = parts_.known.Block(at, block);
    if (parts_.known.IsKnown(at, block) && std::memcmp(wanted.data(), present, 64) == 0) return;
    Ask ask{};
    if (!parts_.asker.Prepare(parts_.fabric.ManagementPortOf(at),
                              AttributeId::kLinearForwardingTable, ask)) {
        if (final) {
            NoteLacking(at, block);
        } else {
            Freeze(round_ == Round::kYield ? differences_.yielding() : differences_.hot(), block);
        }
        return;
    }
    ask.method = Method::kSet;
    ask.modifier = block;
    ask.cookie.detail = static_cast<std::uint16_t>(block);
    std::memcpy(ask.data.data(), wanted.data(), 64);
    parts_.known.NoteSent(at, block);
    ++parts_.outcome.blocks_set;
    const std::uint8_t* const planned = Planned(at).data() + std::size_t{block} * 64;
    if (!final && std::memcmp(wanted.data(), planned, 64) != 0) ++parts_.outcome.detours;
    parts_.asker.Post(ask, RoundAsker::Kind::kSetBlock, Raw(at), now_us);
}

/// A block could not be written: a top below any of its entries stays where it is.
void LftProgramming::NoteLacking(SwitchIndex at, std::uint32_t block) {
    EMBER_ASSERT(round_ == Round::kFinal);
    if (differences_.transition().LiveEntries(at, block) < 64) parts_.known.row(at).lacking = true;
}

LftProgramming::Block LftProgramming::Wanted(SwitchIndex at, std::uint32_t block) const {
    EMBER_ASSERT(round_ == Round::kYield || round_ == Round::kDetours || round_ == Round::kFinal);
    if (round_ == Round::kYield) return Yield(at, block);
    return round_ == Round::kDetours ? Detour(at, block) : Final(at, block);
}

/// The content of a block before the first round: nothing is new yet.
LftProgramming::Block LftProgramming::Yield(SwitchIndex at, std::uint32_t block) const {
    const std::size_t first = std::size_t{block} * 64;
    Block content;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::uint8_t present = parts_.known[at][first + i];
        const bool yields =
            differences_.yielding().Has(first + i) && present != Planned(at)[first + i];
        content[i] = yields ? kDrop : present;
    }
    return content;
}

/// The content of a block in the first round.
LftProgramming::Block LftProgramming::Detour(SwitchIndex at, std::uint32_t block) const {
    EMBER_ASSERT(round_ == Round::kDetours);
    const Transition& transition = differences_.transition();
    const std::size_t first = std::size_t{block} * 64;
    const bool is_unconfirmed = parts_.known.IsUnconfirmed(at, block);
    Block content;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::size_t lid = first + i;
        const std::uint8_t planned = Planned(at)[lid];
        const std::uint8_t present = parts_.known[at][lid];
        content[i] = planned;
        const bool is_right = planned == present && !is_unconfirmed;
        const bool is_frozen = differences_.yielding().Has(lid) && frozen_.Has(lid);
        const bool may_change = !is_frozen && (!differences_.hot().Has(lid) || IsPaved(at, lid));
        if (is_right || may_change) continue;
        const SwitchIndex next = is_unconfirmed ? kStranger : transition.Neighbor(at, present);
        content[i] = transition.LeadsAway(at, next, lid) ? kDrop : present;
    }
    return content;
}

/// The block in the second round. A frozen entry stays as the first round left it. If it leads
/// away, or may lead anywhere, it drops until the next round.
LftProgramming::Block LftProgramming::Final(SwitchIndex at, std::uint32_t block) const {
    EMBER_ASSERT(round_ == Round::kFinal);
    const Transition& transition = differences_.transition();
    const std::size_t first = std::size_t{block} * 64;
    Block content;
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::size_t lid = first + i;
        content[i] = Planned(at)[lid];
        if (!frozen_.Has(lid)) continue;
        const std::uint8_t present = parts_.known[at][lid];
        const bool away = differences_.WasUnknown(at, block) ||
                          transition.LeadsAway(at, transition.Neighbor(at, present), lid);
        content[i] = away ? kDrop : present;
    }
    return content;
}

/// A block could not be made to drop. So no new entry may lead to the entries of it that may lead
/// away, and no top rises above it. The next round will try again.
void LftProgramming::Freeze(const BitSet& lids, std::uint32_t block) {
    EMBER_ASSERT(round_ == Round::kYield || round_ == Round::kDetours);
    for (std::size_t lid = std::size_t{block} * 64; lid < std::size_t{block} * 64 + 64; ++lid) {
        if (!lids.Has(lid)) continue;
        frozen_.Add(lid);
        top_frozen_ = std::max(top_frozen_, static_cast<Lid>(lid));
    }
}

/// True when every switch behind `at` on the planned path to `lid` has its planned entry for it. A
/// Set under way does not touch entries that were right before.
bool LftProgramming::IsPaved(SwitchIndex at, std::size_t lid) const {
    EMBER_ASSERT(differences_.hot().Has(lid));
    const Transition& transition = differences_.transition();
    const SwitchIndex home = transition.HomeOf(lid);
    EMBER_ASSERT(home != kNoSwitch);
    const auto block = static_cast<std::uint32_t>(lid / 64);
    SwitchIndex next = at;
    for (std::size_t i = 0; next != home; ++i) {  // Ends: the plan has no loop.
        next = transition.Behind(next, Planned(next)[lid]);
        if (next == kNoSwitch || i > parts_.fabric.switch_bound()) return false;
        const bool was_unknown = differences_.WasUnknown(next, block);
        if (was_unknown && !parts_.known.IsKnown(next, block)) return false;
        if (parts_.known[next][lid] != Planned(next)[lid]) return false;
    }
    return true;
}

void LftProgramming::Hear(const Answer& answer, std::uint64_t now_us) {
    const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
    const std::uint32_t block = answer.cookie.detail;
    if (answer.status != Status::kOk) {
        parts_.known.NoteUnanswered(at, block);
        Fail(answer, at, now_us);
        return;
    }
    parts_.known.Take(at, block, answer.data);
    if (round_ != Round::kFinal) return;
    if (std::memcmp(answer.data.data(), Planned(at).data() + std::size_t{block} * 64, 64) != 0)
        has_unlikes_ = true;
}

void LftProgramming::Fail(const Answer& answer, SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(answer.status != Status::kOk);
    parts_.asker.Fail(answer, parts_.fabric.ManagementPortOf(at), now_us);
    if (round_ == Round::kYield) Freeze(differences_.yielding(), answer.cookie.detail);
    if (round_ == Round::kDetours) Freeze(differences_.hot(), answer.cookie.detail);
    // A switch that refuses the block may want its LinearFDBTop first, as OpenSM sets it. The
    // switch gets that: the next sweep writes the block as one whose entries are unknown.
    const bool is_refused = answer.status == Status::kRefused;
    if (round_ == Round::kFinal && !is_refused) NoteLacking(at, answer.cookie.detail);
}

}  // namespace ember
