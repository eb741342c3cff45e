// SPDX-License-Identifier: Apache-2.0
// EmberSM: options of opensm.conf that a step of a chain may have for itself.
#include "config/emberc/option_files/step_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/blob/option_tables.h"

namespace ember::emberc {

const StepKey* FindStepKey(std::string_view name) {
    const auto* const found = std::find_if(kStepKeys.begin(), kStepKeys.end(),
                                           [name](const StepKey& key) { return key.name == name; });
    return found == kStepKeys.end() ? nullptr : found;
}

void SetOption(const StepKey& key, std::uint64_t number, ChainStep& step) {
    step.own |= key.bit;
    if (key.bit == step_option::kMaxReverseHops) {
        step.max_reverse_hops = static_cast<std::uint16_t>(number);
    } else if (key.bit == step_option::kScatterPorts) {
        step.scatter_ports = static_cast<std::uint32_t>(number);
    } else if (number != 0) {
        step.values |= key.bit;
    }
}

bool IsFileOfSteps(std::string_view name) {
    bool is_one = false;
    option_files::ForEachFileOfSteps([&]<typename File>(File /*file*/, std::uint16_t /*bit*/) {
        is_one = is_one || File::kOption == name;
    });
    return is_one;
}

std::string OptionsAsText(const ChainStep& step) {
    std::string text;
    for (const StepKey& key : kStepKeys) {
        if ((step.own & key.bit) == 0) continue;
        if (key.bit == step_option::kMaxReverseHops) {
            text += fmt::format(", {} {}", key.name, step.max_reverse_hops);
        } else if (key.bit == step_option::kScatterPorts) {
            text += fmt::format(", {} {}", key.name, step.scatter_ports);
        } else {
            text +=
                fmt::format(", {} {}", key.name, (step.values & key.bit) != 0 ? "TRUE" : "FALSE");
        }
    }
    option_files::ForEachFileOfSteps([&]<typename File>(File /*file*/, std::uint16_t bit) {
        if ((step.own_files & bit) != 0) text += fmt::format(", {} of its own", File::kOption);
    });
    return text;
}

}  // namespace ember::emberc
