// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words of the option routing_engine.
#include "config/blob/engine_words.h"

#include <array>
#include <cstddef>

#include "config/schema/settings_generated.h"
#include "engines/catalogue.h"

namespace ember {
namespace {

using enum EngineWordUse;
using Number = schema::RoutingEngine;

/// A value of RoutingEngine in settings.fbs, and what its word asks for.
struct Row {
    Number number{};
    EngineWord word;
};

/// An engine: this release has it if the catalogue does.
constexpr Row Engine(Number number, EngineKind kind) {
    return {number, {EngineName(kind), HasEngine(kind) ? kEngine : kMissing, kind}};
}

/// A word of the list that stands for no engine of kNamedEngines.
constexpr Row Other(Number number, std::string_view word, EngineWordUse use) {
    return {number, {word, use, {}}};
}

// clang-format off
constexpr std::array kRows = {
    Other(Number::none,         "none", kMissing),
    Engine(Number::minhop,      EngineKind::kMinHop),
    Engine(Number::updn,        EngineKind::kUpDn),
    Engine(Number::dnup,        EngineKind::kDnUp),
    Engine(Number::file,        EngineKind::kFile),
    Engine(Number::ftree,       EngineKind::kFtree),
    Engine(Number::lash,        EngineKind::kLash),
    Engine(Number::dor,         EngineKind::kDor),
    Engine(Number::torus_2qos,  EngineKind::kTorus2Qos),
    Engine(Number::dfsssp,      EngineKind::kDfsssp),
    Engine(Number::sssp,        EngineKind::kSssp),
    Engine(Number::nue,         EngineKind::kNue),
    Other(Number::no_fallback,  "no_fallback", kNoFallback),
    Other(Number::chain,        "chain", kChain),
    Engine(Number::pqft,        EngineKind::kPqft),
    Engine(Number::auto_,       EngineKind::kAuto),
};
// clang-format on

/// Row i is that of value i of the schema.
constexpr bool IsInOrder() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].number) != i) return false;
    }
    return kRows.size() == static_cast<std::size_t>(Number::MAX) + 1;
}
static_assert(IsInOrder(), "every value of RoutingEngine in settings.fbs has its row here");

/// Every engine that can be named has its row.
constexpr bool NamesEveryEngine() {
    for (const NamedEngine& named : kNamedEngines) {
        bool is_found = false;
        for (const Row& row : kRows) {
            is_found = is_found || (row.word.word == named.word && row.word.kind == named.kind);
        }
        if (!is_found) return false;
    }
    return true;
}
static_assert(NamesEveryEngine(), "every engine of kNamedEngines has a value in settings.fbs");

constexpr std::array<EngineWord, kRows.size()> kWords = [] {
    std::array<EngineWord, kRows.size()> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = kRows[i].word;
    }
    return words;
}();

}  // namespace

std::span<const EngineWord> EngineWords() {
    return kWords;
}

}  // namespace ember
