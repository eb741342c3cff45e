// SPDX-License-Identifier: Apache-2.0
// EmberSM: that old and new forwarding entries beside each other close no credit loop.

#include "core/programming/transition_proof.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {

bool TransitionProof::HasRoom(const ProvedRoutes& proved) {
    const std::size_t bytes = TrialGraph::Bytes(*proved.topology, proved.dependencies->lanes()) +
                              MixedPaths::Bytes(proved.topology->switch_bound());
    const std::size_t used = std::max(proved.scratch->used_bytes(), proved.scratch_end);
    return bytes <= proved.scratch->size_bytes() - used;
}

void TransitionProof::Begin(const MixedPaths::Task& task, BitSet lids) {
    EMBER_ASSERT(phase_ == Phase::kDone && HasRoom(task.proved));
    const ProvedRoutes& proved = task.proved;
    scratch_ = proved.scratch;
    mark_ = scratch_->used_bytes();
    if (mark_ < proved.scratch_end) scratch_->TakeAgain(proved.scratch_end);
    graph_.Begin(*proved.topology, *proved.dependencies, *scratch_);
    paths_.Begin(task, *scratch_);
    lids_ = lids;
    // Dependencies of a mere switch's LID are no end port's.
    for (const Destination& row : proved.topology->destinations()) {
        if (row.is_switch() && !proved.topology->switch_row(row.at).is_home) {
            lids_.Remove(Raw(row.lid));
        }
    }
    first_ = next_ = count_ = 0;
    most_ = lid_bound();
    phase_ = Phase::kCopying;
}

Progress TransitionProof::Advance() {
    switch (phase_) {
        case Phase::kCopying:
            if (graph_.Copy() == Progress::kDone) phase_ = Phase::kLids;
            break;
        case Phase::kLids:
            FollowSome();
            break;
        case Phase::kSearch:
            Search();
            break;
        case Phase::kDone:
            break;
    }
    return phase_ == Phase::kDone ? Progress::kDone : Progress::kMore;
}

void TransitionProof::End() {
    if (phase_ == Phase::kDone) return;
    scratch_->Rewind(mark_);
    phase_ = Phase::kDone;
}

/// The first LID from `from` on that is to be looked at.
std::size_t TransitionProof::NextLid(std::size_t from) const {
    const auto words = lids_.words();
    std::size_t word = from / 64;
    if (word >= words.size()) return lid_bound();
    std::uint64_t rest = words[word] & (~std::uint64_t{0} << (from % 64));
    while (rest == 0) {
        if (++word == words.size()) return lid_bound();
        rest = words[word];
    }
    return word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
}

void TransitionProof::FollowSome() {
    EMBER_ASSERT(phase_ == Phase::kLids);
    for (std::size_t steps = 0; steps < kStepsPerSlice;) {
        const std::size_t lid = NextLid(next_);
        next_ = lid;
        if (lid == lid_bound() || count_ == most_ || graph_.is_full()) {
            EndBatch();
            return;
        }
        steps += 1 + paths_.Follow(lid, graph_);
        next_ = lid + 1;
        ++count_;
    }
}

void TransitionProof::EndBatch() {
    if (count_ == 0) {
        End();
    } else if (graph_.is_full()) {
        EndTrial(false);
    } else if (!graph_.has_news()) {
        EndTrial(true);
    } else {
        graph_.StartSearch();
        phase_ = Phase::kSearch;
    }
}

void TransitionProof::Search() {
    if (graph_.Search() == Progress::kDone) EndTrial(!graph_.found());
}

/// The next batch: the next LIDs, or an eighth of these again, as LIDs that must yield seldom come
/// alone.
void TransitionProof::EndTrial(bool may_mix) {
    EMBER_ASSERT(count_ > 0);
    if (may_mix) {
        graph_.Keep();
        for (std::size_t lid = NextLid(first_); lid < next_; lid = NextLid(lid + 1)) {
            lids_.Remove(lid);
        }
        most_ = std::min(lid_bound(), most_ * 2);
    } else {
        graph_.TakeBack();
        if (count_ > 1) next_ = first_;  // Else this LID must yield, and stays in the set.
        most_ = std::max<std::size_t>(1, count_ / 8);
    }
    first_ = next_;
    count_ = 0;
    phase_ = Phase::kLids;
}

}  // namespace ember
