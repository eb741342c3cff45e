// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routing engines there are, and what they need.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "engines/dor.h"
#include "engines/fat_tree/fat_tree.h"
#include "engines/file/file_engine.h"
#include "engines/min_hop.h"
#include "engines/up_down/dn_up.h"
#include "engines/up_down/up_dn.h"

namespace ember {

/// One engine: its word in opensm.conf, and its appetite.
struct EngineEntry {
    std::string_view name;
    std::size_t (*scratch_bytes)(const Limits& limits);        ///< For any fabric.
    std::size_t (*least_scratch_bytes)(const Limits& limits);  ///< It refuses some fabrics then.
};

/// The entry of an engine that can do without nothing.
template <typename Engine>
[[nodiscard]] constexpr EngineEntry EntryOf(std::string_view name) {
    return {name, [](const Limits& limits) { return Engine::ScratchBytes(limits); },
            [](const Limits& limits) { return Engine::ScratchBytes(limits); }};
}
/// And of one that can.
template <typename Engine>
[[nodiscard]] constexpr EngineEntry FrugalEntryOf(std::string_view name) {
    return {name, [](const Limits& limits) { return Engine::ScratchBytes(limits); },
            [](const Limits& limits) { return Engine::LeastScratchBytes(limits); }};
}

inline constexpr std::array kEngineCatalogue = {
    EntryOf<MinHop>("minhop"), FrugalEntryOf<UpDn>("updn"), FrugalEntryOf<DnUp>("dnup"),
    EntryOf<Dor>("dor"),       EntryOf<FileEngine>("file"), FrugalEntryOf<FatTree>("ftree"),
};

/// Scratch for the greediest engine: who can feed that routes any fabric.
[[nodiscard]] constexpr std::size_t EngineScratchBytes(const Limits& limits) {
    std::size_t most = 0;
    for (const EngineEntry& entry : kEngineCatalogue) {
        most = std::max(most, entry.scratch_bytes(limits));
    }
    return most;
}

/// What a board must be able to feed. On such a board updn and dnup refuse a fabric in which cables
/// join switches of one level, where ways are found with a bit for each port and destination.
[[nodiscard]] constexpr std::size_t LeastEngineScratchBytes(const Limits& limits) {
    std::size_t most = 0;
    for (const EngineEntry& entry : kEngineCatalogue) {
        most = std::max(most, entry.least_scratch_bytes(limits));
    }
    return most;
}

/// One object of every engine, for a board's static storage.
class Engines {
public:
    /// The engine with this name in opensm.conf, or nullptr.
    [[nodiscard]] RoutingEngine* Find(std::string_view name) {
        for (RoutingEngine* const engine : all_) {
            if (engine->name() == name) return engine;
        }
        return nullptr;
    }
    /// All of them, in the order of the catalogue.
    [[nodiscard]] std::span<RoutingEngine* const> All() const { return all_; }

    Engines() = default;
    Engines(const Engines&) = delete;
    Engines& operator=(const Engines&) = delete;

private:
    MinHop min_hop_;
    UpDn up_dn_;
    DnUp dn_up_;
    Dor dor_;
    FileEngine file_;
    FatTree fat_tree_;
    std::array<RoutingEngine*, kEngineCatalogue.size()> all_ = {
        &min_hop_, &up_dn_, &dn_up_, &dor_, &file_, &fat_tree_,
    };
};

}  // namespace ember
