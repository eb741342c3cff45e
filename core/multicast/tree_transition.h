// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of a multicast LID while they change.
#pragma once

#include <span>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/multicast/mft_tables.h"
#include "core/multicast/tree_check.h"

namespace ember {

/// The change of the tables of a multicast LID from what is programmed to what is wanted, in which
/// some switches have the old entries and others the new ones.
class TreeTransition {
public:
    TreeTransition(const Fabric& fabric, const MftTables& tables, MlidIndex mlid)
        : fabric_(fabric), tables_(tables), mlid_(mlid) {}

    /// Some of the old and some of the new entries together may form a loop. `switches`: all that
    /// are live. `spots` and `queue`: as of TreeCheck.
    [[nodiscard]] bool MayLoop(std::span<const SwitchIndex> switches,
                               std::span<TreeCheck::Spot> spots, std::span<SwitchIndex> queue);

private:
    [[nodiscard]] bool HaveParted() const;
    [[nodiscard]] bool IsUsed(SwitchIndex at, PortNumber port) const;
    [[nodiscard]] bool ClosesLoop(SwitchIndex at, const Port& port, TreeCheck& check);

    const Fabric& fabric_;
    const MftTables& tables_;
    MlidIndex mlid_;
    SwitchIndex silent_ = kNoSwitch;  ///< The last switch that had a link to a silent one.
};

}  // namespace ember
