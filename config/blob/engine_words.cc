// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words of the option routing_engine.
#include "config/blob/engine_words.h"

#include <array>

#include "config/schema/settings_generated.h"

namespace ember {
namespace {

using enum EngineWordUse;

// clang-format off
constexpr std::array kWords = {
    EngineWord{"none",        kMissing,    {}},
    EngineWord{"minhop",      kEngine,     EngineKind::kMinHop},
    EngineWord{"updn",        kEngine,     EngineKind::kUpDn},
    EngineWord{"dnup",        kEngine,     EngineKind::kDnUp},
    EngineWord{"file",        kEngine,     EngineKind::kFile},
    EngineWord{"ftree",       kEngine,     EngineKind::kFtree},
    EngineWord{"lash",        kMissing,    EngineKind::kLash},
    EngineWord{"dor",         kEngine,     EngineKind::kDor},
    EngineWord{"torus-2QoS",  kMissing,    EngineKind::kTorus2Qos},
    EngineWord{"dfsssp",      kMissing,    EngineKind::kDfsssp},
    EngineWord{"sssp",        kMissing,    EngineKind::kSssp},
    EngineWord{"nue",         kMissing,    EngineKind::kNue},
    EngineWord{"no_fallback", kNoFallback, {}},
    EngineWord{"chain",       kMissing,    {}},
    EngineWord{"pqft",        kMissing,    {}},
};
// clang-format on
static_assert(kWords.size() == static_cast<std::size_t>(schema::RoutingEngine::MAX) + 1,
              "every engine of settings.fbs has a row here, in the same order");

}  // namespace

std::span<const EngineWord> EngineWords() {
    return kWords;
}

}  // namespace ember
