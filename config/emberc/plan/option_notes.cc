// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files name that the fabric of a plan has not.
#include "config/emberc/plan/option_notes.h"

#include <fmt/format.h>

#include "core/routing/option_check.h"

namespace ember::plan {

std::vector<std::string> OptionNotes(const Planned& plan, bool with_misses) {
    std::vector<std::string> notes;
    for (std::size_t i = 0; i < kOptionFiles; ++i) {
        const auto file = static_cast<OptionFile>(i);
        const OptionMisses& misses = plan.option_report()[file];
        if (with_misses && misses.guids != 0) {
            notes.push_back(
                fmt::format("warning: {}: {} GUIDs are not in the subnet, the first is {}; they "
                            "are passed over",
                            NameOf(file), misses.guids, Hex(misses.first_guid)));
        }
        if (misses.hosts != 0) {
            notes.push_back(fmt::format(
                "note: {}: {} GUIDs are of hosts or routers, the first is {} ({}); each names the "
                "switches that it hangs on",
                NameOf(file), misses.hosts, Hex(misses.first_host),
                plan.NameOf(misses.first_host)));
        }
        if (with_misses && misses.ports != 0) {
            notes.push_back(
                fmt::format("warning: {}: {} ports do not exist, the first is port {} of {}; they "
                            "are passed over",
                            NameOf(file), misses.ports, Raw(misses.first_port),
                            plan.NameOf(misses.first_switch)));
        }
    }
    return notes;
}

}  // namespace ember::plan
