// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric on paper, as torus-2QoS finds it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "config/netlist/netlist.h"
#include "core/routing/engine.h"
#include "core/settings/engine_options.h"
#include "engines/torus/torus_map.h"

namespace ember::emberc {

/// A fabric to compare a torus_config with. Throws std::runtime_error as net::BuiltFabric does.
class TorusFabric {
public:
    explicit TorusFabric(const net::Netlist& netlist);
    ~TorusFabric();
    TorusFabric(const TorusFabric&) = delete;
    TorusFabric& operator=(const TorusFabric&) = delete;

    [[nodiscard]] std::size_t switch_count() const;
    [[nodiscard]] bool HasSwitch(Guid guid) const;
    [[nodiscard]] bool AreLinked(Guid one, Guid other) const;
    /// The switches next to one, for people: their GUIDs, or that there is none.
    [[nodiscard]] std::string NeighborsOf(Guid guid) const;
    /// The grid that its links form, for people: "a torus of 4 x 4 x 5"; empty: no grid.
    [[nodiscard]] std::string FormedShape() const;

    /// Gives every switch its place, as torus-2QoS does from the first seed that is there. The
    /// complaint is that of the engine.
    [[nodiscard]] EngineComplaint Place(const TorusShape& shape, std::span<const TorusSeed> seeds);
    /// After Place() found nothing to complain of: where a switch stands.
    [[nodiscard]] std::optional<GridPlace> PlaceOf(Guid guid) const;
    /// A complaint for people: what is wrong, and where.
    [[nodiscard]] std::string TextOf(const EngineComplaint& complaint) const;

private:
    struct Room;

    const net::Netlist& netlist_;
    std::unique_ptr<Room> room_;
};

}  // namespace ember::emberc
