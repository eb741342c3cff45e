// SPDX-License-Identifier: Apache-2.0
// EmberSM: multicast LIDs whose trees are to be made anew, and those that are held.

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/multicast/groups.h"

namespace ember {

void Groups::MarkAll() {
    for (std::size_t i = 0; i < mlids_.size(); ++i) {
        const auto at = static_cast<MlidIndex>(i);
        if (IsInUse(at)) Mark(at);
    }
}

void Groups::Hold(MlidIndex at) {
    EMBER_ASSERT(held_ <= mlids_.size());
    if (!mlids_[at].is_held) ++held_;
    mlids_[at].is_held = true;
    Mark(at);
}

std::size_t Groups::EndHold() {
    std::size_t nameless = 0;
    for (std::size_t i = 0; held_ != 0 && i < mlids_.size(); ++i) {
        const auto at = static_cast<MlidIndex>(i);
        if (!mlids_[at].is_held) continue;
        mlids_[at].is_held = false;
        --held_;
        if (mlids_[at].groups == 0) ++nameless;
        Mark(at);
    }
    EMBER_ASSERT(held_ == 0);
    return nameless;
}

bool Groups::has_marked() const {
    const auto words = changed_.words();
    return std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; });
}

MlidIndex Groups::TakeMarked(MlidIndex from) {
    const auto words = changed_.words();
    for (std::size_t i = Raw(from) / 64U; i < words.size(); ++i) {
        const unsigned skipped = i == Raw(from) / 64U ? Raw(from) % 64U : 0U;
        const std::uint64_t word = words[i] >> skipped << skipped;
        if (word == 0) continue;
        const std::size_t bit = i * 64 + static_cast<std::size_t>(std::countr_zero(word));
        EMBER_ASSERT(bit < mlids_.size());
        changed_.Remove(bit);
        return static_cast<MlidIndex>(bit);
    }
    return kNoMlid;
}

}  // namespace ember
