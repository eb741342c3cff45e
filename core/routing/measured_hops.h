// SPDX-License-Identifier: Apache-2.0
// EmberSM: the hop matrix, and of which topology it is.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/graph/hops.h"
#include "core/graph/subnet_part.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"
#include "core/routing/hop_patch.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The hop matrix of the subnet or of a part of it, in one memory: measured, brought up to date
/// where only links changed, lent to an engine, and measured again when that engine has spent it.
class MeasuredHops {
public:
    /// What hops are measured of.
    struct Task {
        const Topology* topology = nullptr;
        const SubnetPart* part = nullptr;  ///< The part that `topology` shows; nullptr: the whole.
        std::span<const HopWeight> weights{};
    };

    /// `memory`: HopBytes() octets.
    explicit MeasuredHops(std::span<std::uint8_t> memory) : memory_(memory) {}
    MeasuredHops(const MeasuredHops&) = delete;
    MeasuredHops& operator=(const MeasuredHops&) = delete;

    /// The subnet may be another from now on.
    void Forget() { is_there_ = false; }
    /// The hops are what Begin() would measure, or is about to: of the same part and weights, and
    /// with the same rows, as a part may be shown with or without rows for other switches.
    [[nodiscard]] bool AreOf(const Task& task) const {
        return is_there_ && task_.part == task.part &&
               task_.weights.data() == task.weights.data() &&
               hops_.rows() == task.topology->switch_bound();
    }

    /// Starts to measure. All that `task` shows stands still until the hops are of another.
    void Begin(const Task& task, Arena& scratch);
    /// Likewise, but the memory holds the hops of before `changes`. `suspects` as HopPatch has it.
    void BeginPatch(const Task& task, std::span<const LinkChange> changes,
                    const SwitchPairs& suspects, Arena& scratch);
    /// After an engine has spent them: starts to measure them once more.
    void BeginAgain(Arena& scratch);
    [[nodiscard]] Progress Advance();

    /// The memory, for an engine that begins.
    [[nodiscard]] HopRoom* Lend() {
        room_.Fill(hops_);
        return &room_;
    }
    /// The engine to which they were lent last has spent them.
    [[nodiscard]] bool is_spent() const { return room_.is_spent(); }
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const { return hops_; }

private:
    void Turn(const Task& task);

    std::span<std::uint8_t> memory_;
    Matrix<SwitchIndex, std::uint8_t> hops_;
    Task task_;
    HopMeter meter_;
    HopPatch patch_;
    HopRoom room_;
    bool is_there_ = false;
    bool patches_ = false;  ///< Advance() goes on with patch_.
};

}  // namespace ember
