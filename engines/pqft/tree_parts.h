// SPDX-License-Identifier: Apache-2.0
// EmberSM: the roots of fat trees that cables join.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"

namespace ember {

/// Takes a fabric for fat trees with cables between them. A switch is the higher the farther it is
/// from the leaf switches, those with end ports. Cables that join switches of one height are those
/// between trees, and only roots have them: switches without a cable to a higher one.
class TreeParts {
public:
    /// The most that Find() takes from its arena, what roots() shows included.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Guid>(limits.max_switches) +
               Arena::BytesFor<std::uint16_t>(limits.max_switches) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    constexpr TreeParts() = default;
    TreeParts(const TreeParts&) = delete;
    TreeParts& operator=(const TreeParts&) = delete;

    /// Not kOk: see complaint(). At most two looks at each cable.
    Status Find(const Topology& topology, Arena& scratch);
    /// NodeGUIDs of the roots of all trees, ascending.
    [[nodiscard]] std::span<const Guid> roots() const { return roots_; }
    [[nodiscard]] const EngineComplaint& complaint() const { return complaint_; }

private:
    static constexpr std::uint16_t kNoHeight = 0xFFFF;

    [[nodiscard]] std::size_t MeasureHeights(const Topology& topology);
    [[nodiscard]] bool IsRoot(const Topology& topology, SwitchIndex at) const;
    [[nodiscard]] EngineComplaint LowLink(const Topology& topology, SwitchIndex at) const;

    std::span<std::uint16_t> heights_;  ///< By switch; kNoHeight: no leaf switch is near.
    std::span<SwitchIndex> queue_;
    std::span<Guid> roots_;
    EngineComplaint complaint_;
};

}  // namespace ember
