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
#include "engines/auto/auto.h"
#include "engines/dor.h"
#include "engines/fat_tree/fat_tree.h"
#include "engines/file/file_engine.h"
#include "engines/lash/lash.h"
#include "engines/min_hop.h"
#include "engines/nue/nue.h"
#include "engines/pqft/pqft.h"
#include "engines/sssp/dfsssp.h"
#include "engines/sssp/sssp.h"
#include "engines/torus/torus_2qos.h"
#include "engines/up_down/dn_up.h"
#include "engines/up_down/up_dn.h"

namespace ember {

/// A list of engines by their types.
template <typename... Engine>
struct EngineTypes {};

/// The engines of this release, and the only list of them: what follows is made from it, and so are
/// the words that configuration accepts. A new engine goes to the end.
using AllEngineTypes = EngineTypes<MinHop, UpDn, DnUp, Dor, FileEngine, FatTree, Torus2Qos, Sssp,
                                   Dfsssp, Lash, Nue, Auto, Pqft>;

/// An engine: its kind, the options it looks at, and its appetite.
struct EngineEntry {
    EngineKind kind{};
    /// Keys of opensm.conf that this engine looks at and others need not. An option that every
    /// engine obeys is in none of these lists.
    std::span<const std::string_view> options;
    std::span<const std::string_view> balanced_options;  ///< More of them, under Order::kBalanced.
    std::size_t (*scratch_bytes)(const Limits& limits);  ///< For any fabric.
    std::size_t (*least_scratch_bytes)(const Limits& limits);  ///< Some fabrics are refused then.
    std::size_t (*mend_bytes)(const Limits& limits);  ///< At least, to mend; 0: it does not.
};

template <typename Engine>
[[nodiscard]] constexpr EngineEntry EntryOf() {
    return {
        Engine::kKind,
        Engine::kOptions,
        []() -> std::span<const std::string_view> {
            if constexpr (requires { Engine::kBalancedOptions; }) return Engine::kBalancedOptions;
            return {};
        }(),
        [](const Limits& limits) { return Engine::ScratchBytes(limits); },
        [](const Limits& limits) {
            if constexpr (requires { Engine::LeastScratchBytes(limits); }) {
                return Engine::LeastScratchBytes(limits);
            } else {
                return Engine::ScratchBytes(limits);  // All of it is needed.
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

template <typename... Engine>
[[nodiscard]] constexpr std::array<EngineEntry, sizeof...(Engine)> EntriesOf(
    EngineTypes<Engine...> /*types*/) {
    return {EntryOf<Engine>()...};
}

/// Row i is that of the i-th engine of AllEngineTypes.
inline constexpr std::array kEngineCatalogue = EntriesOf(AllEngineTypes{});

/// This release has an engine of this kind.
[[nodiscard]] constexpr bool HasEngine(EngineKind kind) {
    return std::any_of(kEngineCatalogue.begin(), kEngineCatalogue.end(),
                       [kind](const EngineEntry& entry) { return entry.kind == kind; });
}

/// Scratch for the engine that needs most: a board that has as much routes any fabric.
[[nodiscard]] constexpr EngineBytes EngineScratchBytes(const Limits& limits) {
    EngineBytes most;
    for (const EngineEntry& entry : kEngineCatalogue) {
        most.making = std::max(most.making, entry.scratch_bytes(limits));
        most.in_step = std::max(most.in_step, entry.scratch_bytes(StepLimits(limits)));
    }
    most.mending = most.making;
    return most;
}

/// Scratch that a board must have. With no more than that, updn and dnup refuse a fabric in which
/// links join switches of one level: there they search with a bit for each port and destination.
[[nodiscard]] constexpr EngineBytes LeastEngineScratchBytes(const Limits& limits) {
    EngineBytes most;
    for (const EngineEntry& entry : kEngineCatalogue) {
        most.making = std::max(most.making, entry.least_scratch_bytes(limits));
        most.in_step = std::max(most.in_step, entry.least_scratch_bytes(StepLimits(limits)));
        most.mending = std::max(most.mending, entry.mend_bytes(limits));
    }
    return most;
}

/// Where one engine of an EngineSet lies.
template <typename Engine>
struct EngineSeat {
    Engine engine;
};

template <typename Types>
class EngineSet;

/// An object of every engine of a list, for a board's static storage.
template <typename... Engine>
class EngineSet<EngineTypes<Engine...>> : private EngineSeat<Engine>... {
public:
    /// The engine with this name in opensm.conf, or nullptr.
    [[nodiscard]] RoutingEngine* Find(std::string_view name) {
        for (RoutingEngine* const engine : all_) {
            if (engine->name() == name) return engine;
        }
        return nullptr;
    }
    /// All of them, in the order of the list.
    [[nodiscard]] std::span<RoutingEngine* const> All() const { return all_; }

    EngineSet() = default;
    EngineSet(const EngineSet&) = delete;
    EngineSet& operator=(const EngineSet&) = delete;

private:
    std::array<RoutingEngine*, sizeof...(Engine)> all_ = {
        &static_cast<EngineSeat<Engine>&>(*this).engine...};
};

/// An object of every engine of this release, in the order of kEngineCatalogue.
using Engines = EngineSet<AllEngineTypes>;

}  // namespace ember
