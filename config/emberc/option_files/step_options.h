// SPDX-License-Identifier: Apache-2.0
// EmberSM: options of opensm.conf that a step of a chain may have for itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/settings/chain_rows.h"

namespace ember::emberc {

/// A key that a step may have for itself.
struct StepKey {
    std::string_view name;
    std::uint16_t bit = 0;  ///< Of step_option.
};

inline constexpr std::array kStepKeys = {
    StepKey{"port_profile_switch_nodes", step_option::kPortProfileSwitchNodes},
    StepKey{"connect_roots", step_option::kConnectRoots},
    StepKey{"quasi_ftree_indexing", step_option::kQuasiFtreeIndexing},
    StepKey{"port_shifting", step_option::kPortShifting},
    StepKey{"guid_routing_order_no_scatter", step_option::kNoScatter},
    StepKey{"max_reverse_hops", step_option::kMaxReverseHops},
    StepKey{"scatter_ports", step_option::kScatterPorts},
    StepKey{"do_mesh_analysis", step_option::kMeshAnalysis},
    StepKey{"nue_include_switches", step_option::kNueIncludeSwitches},
};

/// The key of this name; null: a step does not have it for itself.
[[nodiscard]] const StepKey* FindStepKey(std::string_view name);

/// Gives the step this value of the key: a number, or 0 and 1 for FALSE and TRUE.
void SetOption(const StepKey& key, std::uint64_t number, ChainStep& step);

/// The key names an option file that a step may have for itself.
[[nodiscard]] bool IsFileOfSteps(std::string_view name);

/// ", connect_roots TRUE, max_reverse_hops 2, root_guid_file of its own": the options that a step
/// has for itself.
[[nodiscard]] std::string OptionsAsText(const ChainStep& step);

}  // namespace ember::emberc
