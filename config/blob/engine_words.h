// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words of the option routing_engine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/settings/settings.h"

namespace ember {

/// The meaning of a word of the list.
enum class EngineWordUse : std::uint8_t {
    kEngine,      ///< An engine that this release has (engines/catalogue.h).
    kNoFallback,  ///< No engine but those listed.
    kChain,       ///< The engines of rch_policy_file, which count wherever that is named.
    kMissing,     ///< An engine, or a word of other makers, that this release does not have.
};

struct EngineWord {
    std::string_view word;
    EngineWordUse use = EngineWordUse::kMissing;
    EngineKind kind{};  ///< Counts with kEngine only.
};

/// A row for each value of RoutingEngine in config/schema/settings.fbs, by number. emberc and the
/// reader on the switch both use it, so they agree about which engines there are.
[[nodiscard]] std::span<const EngineWord> EngineWords();

}  // namespace ember
