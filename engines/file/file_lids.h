// SPDX-License-Identifier: Apache-2.0
// EmberSM: the LIDs of an old dump translated into those of today.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/settings/engine_options.h"

namespace ember {

/// Translates the LIDs of a dump, which names the port that owned each of them, into those that the
/// same ports have now.
class FileLids {
public:
    /// The most that it takes from its arena: the dump may be of a larger subnet.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& /*limits*/) {
        return Arena::BytesFor<Lid>(kMostLids);
    }

    /// `owners` are in ascending order of LIDs and stay unchanged until Advance() returns kDone;
    /// `lids`: how many the dump has, LID 0 included.
    void Begin(const Topology& topology, std::span<const LidOwner> owners, std::size_t lids,
               Arena& scratch);
    /// Looks at a bounded number of owners.
    Progress Advance();

    /// The LID today of what the dump calls `lid`. A LID whose owner is unknown, or not here, keeps
    /// its number; one that its owner no longer has becomes the owner's LID with the same low bits.
    /// kNoLid when that is above the top LID, or when the number it keeps is today the LID of a
    /// port that the dump has under another number.
    [[nodiscard]] Lid Today(std::size_t lid) const {
        return lid < today_.size() ? today_[lid] : kNoLid;
    }
    [[nodiscard]] std::size_t size() const { return today_.size(); }

private:
    static constexpr std::size_t kMostLids = Raw(kTopUnicastLid) + std::size_t{1};
    static constexpr std::size_t kOwnersPerSlice = 2048;

    const Topology* topology_ = nullptr;
    std::span<const LidOwner> owners_;  ///< Not looked at yet.
    std::span<Lid> today_;              ///< By the dump's LID.
};

}  // namespace ember
