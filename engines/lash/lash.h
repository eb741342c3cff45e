// SPDX-License-Identifier: Apache-2.0
// EmberSM: shortest paths, on as many lanes as keep them free of credit loops.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/lanes/lane_layers.h"
#include "engines/lash/lash_order.h"
#include "engines/lash/lash_trees.h"
#include "engines/lash/mesh_analysis.h"

namespace ember {

/// OpenSM's lash. Its tables are OpenSM's under every order. Under Order::kBalanced switches
/// without end ports take part in no lane, which saves lanes; else all pairs of switches have
/// OpenSM's lanes, unless it moves some by chance to even lanes out.
class Lash final : public RoutingEngine {
public:
    constexpr Lash() = default;
    /// `evens_out` false: pairs stay on the first lane that they fit on.
    explicit constexpr Lash(bool evens_out) : evens_out_(evens_out) {}
    Lash(const Lash&) = delete;
    Lash& operator=(const Lash&) = delete;

    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return OwnBytes(limits) + std::max(TreeBytes(limits), LaneLayers::ScratchBytes(limits));
    }
    /// The least that a run needs; more lanes than it has room for are refused
    /// (EngineFault::kLanesNotProvable).
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return OwnBytes(limits) +
               std::max(TreeBytes(limits), LaneLayers::LeastScratchBytes(limits));
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kLash;
    static constexpr std::array<std::string_view, 2> kOptions = {"do_mesh_analysis",
                                                                 "lash_start_vl"};

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    /// Paths have the fewest links, whatever links weigh.
    [[nodiscard]] Promise promise(const EngineOptions& options) const override {
        return {.shortest = options.tables.hop_weights.empty(), .deadlock_free = true};
    }
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Advance() override;
    [[nodiscard]] EngineComplaint complaint() const override {
        return phase_ == Phase::kLayers ? layers_.complaint() : EngineComplaint{};
    }

private:
    enum class Phase : std::uint8_t { kMesh, kTrees, kLayers };

    [[nodiscard]] static constexpr std::size_t OwnBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }
    [[nodiscard]] static constexpr std::size_t TreeBytes(const Limits& limits) {
        return MeshAnalysis::ScratchBytes(limits) + LashTrees::ScratchBytes(limits);
    }
    void BeginTrees(const LashOrder& order);
    void BeginLayers();

    bool evens_out_ = true;
    RoutingTask task_;
    Phase phase_ = Phase::kMesh;
    std::size_t mark_ = 0;                  ///< Where scratch stood behind senders_.
    std::span<const SwitchIndex> senders_;  ///< The switches whose pairs get lanes.
    MeshAnalysis mesh_;
    LashTrees trees_;
    LaneLayers layers_;
};

}  // namespace ember
