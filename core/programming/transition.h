// SPDX-License-Identifier: Apache-2.0
// EmberSM: the forwarding tables that switches have, beside those that they shall have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"

namespace ember {

/// Says of each entry where it led and where it shall lead, and which entries *lead away* from
/// their LID: docs/decisions/0010-two-rounds-of-blocks.md.
class Transition {
public:
    /// In place of a switch: the port has a link that is up, to a node that is not known.
    static constexpr SwitchIndex kStranger{0xFFFE};
    static constexpr std::uint8_t kDrop = 255;

    struct Tables {
        Matrix<SwitchIndex, const std::uint8_t> present;  ///< Valid where the block is known.
        BitSet known;  ///< Blocks: row of the switch * blocks_per_row + block.
        std::size_t blocks_per_row = 0;
        Matrix<SwitchIndex, const std::uint8_t> planned;  ///< Verified: no loop in it.
        /// Hops between two switches, when every planned path is that long; empty: paths are
        /// followed where their length matters.
        Matrix<SwitchIndex, const std::uint8_t> hops;
    };

    /// `homes`: by LID, LidStride() of them.
    Transition(std::span<SwitchIndex> homes, const Fabric& fabric)
        : fabric_(fabric), homes_(homes) {}
    Transition(const Transition&) = delete;
    Transition& operator=(const Transition&) = delete;

    /// The views in `tables` live on; the home of each LID is found by FindHomes().
    void Begin(const Tables& tables) { tables_ = tables; }
    void FindHomes();
    /// The switch that has the LID, or that its port is linked to; kNoSwitch: none.
    [[nodiscard]] SwitchIndex HomeOf(std::size_t lid) const {
        return homes_[static_cast<Lid>(lid)];
    }

    /// The port by which the switch sends on now, as far as it is known; kDrop: by none.
    [[nodiscard]] std::uint8_t Present(SwitchIndex at, std::size_t lid) const;
    [[nodiscard]] std::uint8_t Planned(SwitchIndex at, std::size_t lid) const {
        return tables_.planned[at][lid];
    }
    /// How many entries of a block are not above the top of their switch: 0..64.
    [[nodiscard]] std::size_t LiveEntries(SwitchIndex at, std::uint32_t block) const;

    /// The switch behind a port, or kStranger; kNoSwitch behind a host's port, and where no link
    /// is.
    [[nodiscard]] SwitchIndex Neighbor(SwitchIndex at, std::uint8_t port) const;
    /// The switch behind a port; kNoSwitch when none is known.
    [[nodiscard]] SwitchIndex Behind(SwitchIndex at, std::uint8_t port) const {
        const SwitchIndex next = Neighbor(at, port);
        return next == kStranger ? kNoSwitch : next;
    }
    /// True when the planned path of `next` to `lid` is not shorter than that of `at`. Where `at`
    /// has no planned path, only old entries could form a loop, and they do not.
    [[nodiscard]] bool LeadsAway(SwitchIndex at, SwitchIndex next, std::size_t lid) const;

private:
    static constexpr std::uint32_t kFarAway = ~std::uint32_t{0};

    [[nodiscard]] std::uint32_t Distance(SwitchIndex at, std::size_t lid) const;

    const Fabric& fabric_;
    Tables tables_;
    Table<Lid, SwitchIndex> homes_;
};

}  // namespace ember
