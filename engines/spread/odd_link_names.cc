// SPDX-License-Identifier: Apache-2.0
// EmberSM: the names of cables that no route uses.

#include "engines/spread/odd_link_names.h"

#include "core/base/assert.h"

namespace ember {

void NameOddLinks(const Topology& topology, std::span<const SwitchExit> ends,
                  EngineChoice& choice) {
    choice.odd.clear();
    choice.odd_count = static_cast<std::uint32_t>(ends.size() / 2);
    for (const SwitchExit& end : ends) {
        const Exit& exit = topology.exit(end.at, end.port);
        EMBER_ASSERT(exit.peer != kNoSwitch);
        const OddLink link{.one = topology.switch_row(end.at).guid,
                           .other = topology.switch_row(exit.peer).guid,
                           .port = end.port,
                           .other_port = exit.peer_port};
        const bool is_second_end = link.other < link.one;
        if (is_second_end || choice.odd.full()) continue;
        const Status kept = choice.odd.TryPush(link);
        EMBER_ASSERT(kept == Status::kOk);
    }
}

}  // namespace ember
