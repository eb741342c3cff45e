// SPDX-License-Identifier: Apache-2.0
// EmberSM: what switches make of LFT blocks.

#include <cstring>

#include "core/base/assert.h"
#include "core/programming/programming.h"

namespace ember {

void Programming::OnBlockAnswer(const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kBlocks);
    const auto at = static_cast<SwitchIndex>(answer.cookie.subject);
    const std::uint32_t block = answer.cookie.detail;
    if (answer.status != Status::kOk) {
        known_.NoteUnanswered(at, block);
        OnBlockFailure(answer, at, now_us);
        return;
    }
    known_.Take(at, block, answer.data);
    if (round_ != Round::kFinal) return;
    const std::uint8_t* const planned = plan_.lfts[at].data() + std::size_t{block} * 64;
    has_unlikes_ = has_unlikes_ || std::memcmp(answer.data.data(), planned, 64) != 0;
}

void Programming::OnBlockFailure(const Answer& answer, SwitchIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(stage_ == Stage::kBlocks);
    EMBER_ASSERT(answer.status != Status::kOk);
    asker_.Fail(answer, fabric_.ManagementPortOf(at), now_us);
    if (round_ == Round::kYield) Freeze(yield_, answer.cookie.detail);
    if (round_ == Round::kDetours) Freeze(hot_, answer.cookie.detail);
    // A switch that refuses the block may want its LinearFDBTop first, as OpenSM sets it. The
    // switch gets that: the next sweep writes the block as one whose entries are unknown.
    const bool is_refused = answer.status == Status::kRefused;
    if (round_ == Round::kFinal && !is_refused) NoteLacking(at, answer.cookie.detail);
}

}  // namespace ember
