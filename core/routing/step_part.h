// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the engine of a step sees of the subnet, and the tables that it fills.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/graph/subnet_part.h"
#include "core/graph/topology.h"

namespace ember {

/// The part of the subnet that a step routes: its topology, and the tables that its engine fills.
class StepPart {
public:
    constexpr StepPart() = default;
    StepPart(const StepPart&) = delete;
    StepPart& operator=(const StepPart&) = delete;

    /// Shows `part` of `whole`; nullptr: all of it. `is_dense`: without a row for what is left out.
    /// All that is taken from `scratch` and both stand still until the next Show().
    void Show(const Topology& whole, const SubnetPart* part, bool is_dense, Arena& scratch);
    /// This is what is shown.
    [[nodiscard]] bool Shows(const SubnetPart* part) const { return part_ == part; }
    [[nodiscard]] const Topology& topology() const { return *shown_; }
    /// Rows of switches in the whole subnet, by row here; none: they are the same.
    [[nodiscard]] std::span<const SwitchIndex> rows() const { return rows_; }
    /// Where a switch of topology() is in the whole subnet.
    [[nodiscard]] SwitchIndex WholeRow(SwitchIndex at) const {
        return rows_.empty() ? at : rows_[Raw(at)];
    }
    /// There is something to route.
    [[nodiscard]] bool HasEndPorts() const;

    void UseTables(Matrix<SwitchIndex, std::uint8_t> lfts) { lfts_ = lfts; }
    /// Tables from `scratch`, with a row for each of topology() and columns as far as the block of
    /// `top`.
    void TakeTables(Lid top, Arena& scratch);
    /// Row = switch of topology(), column = LID.
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> lfts() const { return lfts_; }

private:
    const Topology* shown_ = nullptr;  ///< The whole, or own_.
    const SubnetPart* part_ = nullptr;
    Topology own_;
    std::span<const SwitchIndex> rows_;
    Matrix<SwitchIndex, std::uint8_t> lfts_;
};

}  // namespace ember
