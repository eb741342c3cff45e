// SPDX-License-Identifier: Apache-2.0
// EmberSM: of the exits on shortest paths, those into the first dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"
#include "engines/spread/min_hop_finder.h"
#include "engines/spread/search_order.h"

namespace ember {

/// Dimension order: of the exits on a shortest path, the first in the switch's SearchOrder fixes
/// the neighbor, and the candidates are those that lead to this neighbor. On a grid whose switches
/// have their dimensions in the same order of ports, paths then turn from earlier into later
/// dimensions only.
class DimensionFinder final : public ExitFinder {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return MinHopFinder::ScratchBytes(limits) + SearchOrder::ScratchBytes(limits);
    }

    Status Begin(const RoutingTask& task) override;
    Result<Progress> Prepare() override { return shortest_.Prepare(); }
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const override;
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const override {
        return shortest_.hops();
    }
    [[nodiscard]] bool fixes_neighbor() const override { return true; }
    [[nodiscard]] bool is_local() const override { return true; }

private:
    [[nodiscard]] std::size_t FirstOf(SwitchIndex here, std::span<const std::uint64_t> mask) const;
    void KeepFirstNeighbor(SwitchIndex here, std::span<std::uint64_t> mask) const;

    MinHopFinder shortest_;
    SearchOrder search_;
    const Topology* topology_ = nullptr;
};

}  // namespace ember
