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
#include "core/routing/router.h"
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
    std::size_t (*mend_bytes)(const Limits& limits);  ///< At least, to mend; 0: it does not.
};

template <typename Engine>
[[nodiscard]] constexpr EngineEntry EntryOf(std::string_view name) {
    return {
        name,
        [](const Limits& limits) { return Engine::ScratchBytes(limits); },
        [](const Limits& limits) {
            if constexpr (requires { Engine::LeastScratchBytes(limits); }) {
                return Engine::LeastScratchBytes(limits);
            } else {
                return Engine::ScratchBytes(limits);  // It cannot do without any of it.
            }
        },
        []([[maybe_unused]] const Limits& limits) {
            if constexpr (requires { Engine::MendBytes(limits); }) {
                return Engine::MendBytes(limits);
            } else {
                return std::size_t{0};
            }
        },
    };
}

inline constexpr std::array kEngineCatalogue = {
    EntryOf<MinHop>("minhop"), EntryOf<UpDn>("updn"),       EntryOf<DnUp>("dnup"),
    EntryOf<Dor>("dor"),       EntryOf<FileEngine>("file"), EntryOf<FatTree>("ftree"),
};

/// Scratch for the greediest engine: who can feed that routes any fabric.
[[nodiscard]] constexpr EngineBytes EngineScratchBytes(const Limits& limits) {
    EngineBytes most;
    for (const EngineEntry& entry : kEngineCatalogue) {
        most.making = std::max(most.making, entry.scratch_bytes(limits));
    }
    most.mending = most.making;
    return most;
}

/// What a board must be able to feed. On such a board updn and dnup refuse a fabric in which cables
/// join switches of one level, where ways are found with a bit for each port and destination.
[[nodiscard]] constexpr EngineBytes LeastEngineScratchBytes(const Limits& limits) {
    EngineBytes most;
    for (const EngineEntry& entry : kEngineCatalogue) {
        most.making = std::max(most.making, entry.least_scratch_bytes(limits));
        most.mending = std::max(most.mending, entry.mend_bytes(limits));
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
