// SPDX-License-Identifier: Apache-2.0
// EmberSM: the engine that looks at the fabric first.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/auto/auto_finder.h"
#include "engines/auto/odd_links.h"
#include "engines/balance/balanced_builder.h"
#include "engines/balance/renumbering.h"
#include "engines/lanes/lane_layers.h"
#include "engines/lanes/rising_lanes.h"
#include "engines/mender.h"

namespace ember {

/// Takes the fabric for a tree, a ring, torus, mesh or hypercube, or for none of these, and routes
/// it without a credit loop, traffic of switches' port 0 included: every fabric that is connected,
/// with one lane if there are no more. Exits are balanced under every order, as OpenSM has no such
/// engine to be equal to.
class Auto final : public RoutingEngine {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Renumbering::ScratchBytes(limits) + AutoFinder::KeptBytes(limits) +
               std::max({AutoFinder::SearchBytes(limits), BalancedBuilder::ScratchBytes(limits),
                         OddLinks::ScratchBytes(limits)});
    }

    /// The least that mending needs.
    [[nodiscard]] static constexpr std::size_t MendBytes(const Limits& limits) {
        return Arena::BytesFor<SwitchIndex>(limits.max_switches) + AutoFinder::KeptBytes(limits) +
               std::max(AutoFinder::SearchBytes(limits), Mender::ScratchBytes(limits));
    }

    /// Its row in kEngineCatalogue: see EngineEntry.
    static constexpr EngineKind kKind = EngineKind::kAuto;
    static constexpr auto kOptions = BalancedBuilder::kOptions;

    [[nodiscard]] EngineKind kind() const override { return kKind; }
    [[nodiscard]] Promise promise(const EngineOptions& /*options*/) const override {
        return {.deadlock_free = true};
    }
    /// But for rising lanes and layers, which depend on all routes.
    [[nodiscard]] bool can_mend(const EngineOptions& options) const override {
        return options.order == Order::kBalanced;
    }
    Status Begin(const RoutingTask& task) override;
    Result<Progress> Advance() override;
    [[nodiscard]] EngineComplaint complaint() const override { return complaint_; }
    [[nodiscard]] EngineChoice choice() const override;

private:
    enum class Step : std::uint8_t { kRenumber, kStudy, kMend, kBuild, kRise, kLayers };

    [[nodiscard]] bool FindsOddLinks();
    void LeaveOutOddLinks();

    [[nodiscard]] Status BeginMending();
    [[nodiscard]] Result<Progress> StartStudy();
    [[nodiscard]] Result<Progress> Study();
    [[nodiscard]] Result<Progress> Rise();
    [[nodiscard]] Result<Progress> Layer();
    [[nodiscard]] Status StartMending();
    void StartBuilding();
    [[nodiscard]] Progress EndBuilding();
    void StartRising();
    void EndRising(const EngineComplaint& shortage);
    void StartLayers();
    void EndLayers(const EngineComplaint& shortage);
    [[nodiscard]] std::span<const SwitchIndex> TakeOriginals(std::span<const SwitchIndex> rows);

    RoutingTask task_;
    EngineOptions options_;  ///< Without what the schemes do not know: weights of links.
    Renumbering renumbering_;
    AutoFinder finder_;
    BalancedBuilder builder_;
    Mender mender_;
    RisingLanes rising_;
    LaneLayers layers_;
    OddLinks odd_;
    EngineComplaint complaint_;
    EngineChoice odd_named_;      ///< Has the cables that were left out, and no more.
    std::size_t study_mark_ = 0;  ///< Where scratch stood before the finder,
    std::size_t mark_ = 0;        ///< and before the builder.
    Step step_ = Step::kRenumber;
};

}  // namespace ember
