// SPDX-License-Identifier: Apache-2.0
// EmberSM: what one step of a plan made, made once more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/graph/hops.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/routing/router.h"
#include "core/routing/routing_plan.h"

namespace ember {

/// Runs the engine of one step by itself, for who wants to see its tables: those in force are of
/// all steps together, and nothing is left of an engine that failed. Engines are pure functions,
/// so the tables are those that it made, unless they were mended since. Lanes have no room here: an
/// engine that needs several gets as far as it gets without.
class StepReplay {
public:
    struct Memory {
        std::span<std::uint8_t> lfts;  ///< LftBytes().
        std::span<std::uint8_t> hops;  ///< HopMatrixBytes().
    };
    /// None where later steps have no LFT arena of their own: such a board dumps the whole alone.
    [[nodiscard]] static constexpr std::size_t LftBytes(const Limits& limits) {
        return !HasStepArena(limits) ? 0 : limits.max_switches * LidStride(limits);
    }
    [[nodiscard]] static constexpr std::size_t HopMatrixBytes(const Limits& limits) {
        return !HasStepArena(limits) ? 0 : HopBytes(limits);
    }
    /// Octets that it takes from its arena and keeps: topologies.
    [[nodiscard]] static constexpr std::size_t KeptBytes(const Limits& limits) {
        return 2 * Topology::ScratchBytes(limits);
    }
    /// The most that it takes besides while it runs.
    [[nodiscard]] static constexpr std::size_t WorkBytes(const Limits& limits,
                                                         const EngineBytes& engines) {
        return std::max(HopMeter::ScratchBytes(limits), engines.making);
    }

    explicit StepReplay(const Memory& memory) : memory_(memory) {}
    StepReplay(const StepReplay&) = delete;
    StepReplay& operator=(const StepReplay&) = delete;

    /// All of it stands still until the last question. `scratch` is used from where it stands;
    /// behind KeptBytes() it may be used by others when Advance() has said kDone. `is_base`: as
    /// RoutingTask has it.
    void Begin(const Fabric& fabric, const RoutingStep& step, const Alternative& chosen,
               bool is_base, Arena& scratch);
    /// Does a slice. kDone: what follows holds.
    [[nodiscard]] Progress Advance();

    /// kOk: the engine routes its part. Else why it does not; the tables are as it left them.
    [[nodiscard]] Status status() const { return status_; }
    /// The topology that the engine sees.
    [[nodiscard]] const Topology& topology() const { return part_ == nullptr ? whole_ : own_; }
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> lfts() const { return lfts_; }
    /// Least hops inside the part.
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const { return hops_; }
    /// The port of a host or router, or port 0 of a switch, is in the part.
    [[nodiscard]] bool HasEndPort(SwitchIndex at, PortNumber port) const {
        return topology().Has(at) && topology().exit(at, port).destination != kNoDestination;
    }
    /// The cable behind a port of a switch is in the part.
    [[nodiscard]] bool HasLink(SwitchIndex at, PortNumber port) const {
        return topology().Has(at) && (topology().exit(at, port).peer != kNoSwitch ||
                                      topology().exit(at, port).destination != kNoDestination);
    }

private:
    enum class Phase : std::uint8_t { kBegin, kTopology, kHops, kEngine, kHopsAgain, kDone };

    void MeasureHops(Phase phase);
    void StartEngine();
    void EndEngine(Status status);

    Memory memory_;
    const Fabric* fabric_ = nullptr;
    const SubnetPart* part_ = nullptr;
    const EngineOptions* options_ = nullptr;
    RoutingEngine* engine_ = nullptr;
    Arena* scratch_ = nullptr;
    Topology whole_;
    Topology own_;
    HopMeter meter_;
    HopRoom hop_room_;
    RoutingLanes lanes_;
    Matrix<SwitchIndex, std::uint8_t> lfts_;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    bool is_base_ = false;
    std::size_t mark_ = 0;  ///< Where scratch stands behind what is kept.
    Status status_ = Status::kAbsent;
    Phase phase_ = Phase::kDone;
};

}  // namespace ember
