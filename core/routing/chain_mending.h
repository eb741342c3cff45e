// SPDX-License-Identifier: Apache-2.0
// EmberSM: a chain that is mended step by step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/progress.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/plan_progress.h"
#include "core/routing/step_owners.h"

namespace ember {

/// Decides which steps of a chain stay as they are: those whose part is as it was in the run
/// before, link by link. The others are mended, or made anew where only routes that were mended
/// shall be balanced. docs/decisions/0017-mended-chains.md has the reasons.
class ChainMending {
public:
    constexpr ChainMending() = default;
    ChainMending(const ChainMending&) = delete;
    ChainMending& operator=(const ChainMending&) = delete;

    /// A run begins, in which all steps make their routes anew.
    void Begin();
    /// Instead, each is mended by itself.
    void Mend() { mends_ = true; }
    /// As Mend(), but the steps that were mended since they were made make their routes anew.
    void Balance() { mends_ = balances_ = true; }
    /// The run makes all anew after all.
    void GiveUp() { Begin(); }

    /// Steps are mended, or balanced.
    [[nodiscard]] bool mends() const { return mends_; }
    [[nodiscard]] bool balances() const { return balances_; }

    /// After Mend() or Balance(), where all but `changes` is as it was in the run before, which
    /// ended with Keep(): the steps that stay choose the alternatives that they had.
    void KeepSteps(PlanProgress& plan, std::span<const LinkChange> changes);
    /// When it is known which steps stay: begins to find out which entries they own. A run that
    /// balances and keeps none makes all anew. `topology` and `plan` stand still until Begin().
    void BeginOwners(const Topology& topology, const PlanProgress& plan, Arena& scratch);
    /// Looks at the next step. kDone: there was nothing to do.
    [[nodiscard]] Progress AdvanceOwners();
    /// After AdvanceOwners() has said kDone, if the run mends.
    [[nodiscard]] const StepOwners& owners() const { return owners_; }

    /// The step keeps its routes.
    [[nodiscard]] bool Keeps(std::size_t step) const { return (kept_ >> step & 1U) != 0; }
    /// Entries of the step have changed.
    void NoteMended(std::size_t step) { mended_ |= BitOf(step); }
    /// After a run that was proved, with the plan as it was run: steps may stay as they are in the
    /// next one. False: there is only one step.
    [[nodiscard]] bool Keep(const PlanProgress& plan);

private:
    [[nodiscard]] static std::uint16_t BitOf(std::size_t step) {
        return static_cast<std::uint16_t>(1U << step);
    }

    bool mends_ = false;
    bool balances_ = false;
    bool has_owners_ = false;
    std::uint16_t kept_ = 0;    ///< A bit for each step: its routes stay.
    std::uint16_t mended_ = 0;  ///< Likewise: since its routes were last made anew.
    StepOwners owners_;
    // Of the run before, by step.
    std::array<std::uint8_t, kMaxRoutingSteps> chosen_{};  ///< Its alternative.
    std::array<std::uint64_t, kMaxRoutingSteps> parts_{};  ///< A sum of its part.
};

}  // namespace ember
