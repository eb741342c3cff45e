// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routing engines that can be named, and their words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ember {

/// The routing engines that the option routing_engine of OpenSM and its derivatives names, whether
/// EmberSM has them or not; engines/catalogue.h says which ones it has. A new one goes to the end,
/// with a row in kNamedEngines and in config/blob/engine_words.cc.
enum class EngineKind : std::uint8_t {
    kMinHop,
    kUpDn,
    kDnUp,
    kFile,
    kFtree,
    kLash,
    kDor,
    kTorus2Qos,
    kDfsssp,
    kSssp,
    kNue,
    kAuto,  ///< EmberSM's own.
    kPqft,
};

/// An engine and its word in the option routing_engine.
struct NamedEngine {
    EngineKind kind{};
    std::string_view word;
};

/// Every engine by its kind. Configuration, log lines and the engines themselves take their words
/// from here.
// clang-format off
inline constexpr std::array kNamedEngines = {
    NamedEngine{EngineKind::kMinHop,    "minhop"},
    NamedEngine{EngineKind::kUpDn,      "updn"},
    NamedEngine{EngineKind::kDnUp,      "dnup"},
    NamedEngine{EngineKind::kFile,      "file"},
    NamedEngine{EngineKind::kFtree,     "ftree"},
    NamedEngine{EngineKind::kLash,      "lash"},
    NamedEngine{EngineKind::kDor,       "dor"},
    NamedEngine{EngineKind::kTorus2Qos, "torus-2QoS"},
    NamedEngine{EngineKind::kDfsssp,    "dfsssp"},
    NamedEngine{EngineKind::kSssp,      "sssp"},
    NamedEngine{EngineKind::kNue,       "nue"},
    NamedEngine{EngineKind::kAuto,      "auto"},
    NamedEngine{EngineKind::kPqft,      "pqft"},
};
// clang-format on

/// Row i is the word of EngineKind i.
inline constexpr std::array<std::string_view, kNamedEngines.size()> kEngineWords = [] {
    std::array<std::string_view, kNamedEngines.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = kNamedEngines[i].word;
    }
    return words;
}();

/// The word that selects an engine in the option routing_engine.
[[nodiscard]] constexpr std::string_view EngineName(EngineKind kind) {
    return kEngineWords[static_cast<std::size_t>(kind)];
}

static_assert(
    [] {
        for (std::size_t i = 0; i < kNamedEngines.size(); ++i) {
            if (static_cast<std::size_t>(kNamedEngines[i].kind) != i) return false;
        }
        return true;
    }(),
    "row i of kNamedEngines is that of EngineKind i");

}  // namespace ember
