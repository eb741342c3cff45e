// SPDX-License-Identifier: Apache-2.0
// EmberSM: which routing engines look at which options, as the engines themselves say it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/engine_kind.h"
#include "core/base/ids.h"
#include "core/settings/engine_options.h"

namespace ember::emberc {

/// A set of engines: a bit for each EngineKind.
using Kinds = std::uint32_t;

constexpr Kinds SetOf(std::initializer_list<EngineKind> kinds) {
    Kinds set = 0;
    for (const EngineKind kind : kinds) {
        set |= 1U << Raw(kind);
    }
    return set;
}

/// The engines that look at an option under this order; none for an option that concerns every
/// engine.
[[nodiscard]] Kinds ReadersOf(std::string_view option, Order order);

/// The options that only some engines look at, whatever the order, each once.
[[nodiscard]] std::vector<std::string_view> OptionsOfEngines();

/// The names of these engines, with commas between them.
[[nodiscard]] std::string WordsOf(Kinds engines);

}  // namespace ember::emberc
