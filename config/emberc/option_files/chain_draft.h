// SPDX-License-Identifier: Apache-2.0
// EmberSM: a rch_policy_file as read, before its steps are put in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/qos_text.h"
#include "core/base/engine_kind.h"

namespace ember::emberc {

/// A number, and where it stands.
struct SpottedNumber {
    std::uint64_t number = 0;
    Spot spot;
};

/// A unicast-step, as it stands in the file.
struct StepDraft {
    Spot spot;  ///< Where it begins.
    std::optional<SpottedNumber> id{};
    std::optional<EngineKind> engine{};
    Spot engine_spot{};
    std::optional<SpottedNumber> topology{};
    std::optional<SpottedNumber> fallback{};
    std::optional<SpottedNumber> path_bit{};
    std::string config{};
    Spot config_spot{};
};

/// The chain of these steps: by id, each fallback with the step that it is for. Reports ids that
/// are there twice, topologies that are not there, path-bits without a LID, a first step that is
/// not for the whole subnet, and warns of steps that are ignored.
[[nodiscard]] LoadedChain ResolveChain(const std::vector<StepDraft>& drafts,
                                       const SubnetFacts& subnet, QosText& text);

}  // namespace ember::emberc
