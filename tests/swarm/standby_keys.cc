// SPDX-License-Identifier: Apache-2.0
// EmberSM: what standbys are given where M_Keys differ by port and hide.
#include "tests/swarm/standby_keys.h"

#include "config/netlist/fabric_builder.h"
#include "core/base/assert.h"
#include "core/m_keys/m_key_file.h"
#include "tests/swarm/site.h"

namespace ember::swarm {

std::vector<std::byte> MKeysOfBefore(const Story& story) {
    if (story.seats.size() < 2 || !story.site->has_hidden_keys()) return {};
    const SeatPlan& master = story.seats.front();
    net::BuiltFabric::Options options;
    options.own_node = master.node;
    options.own_port = master.port;
    const net::BuiltFabric built(story.netlist, options);
    MKeyRules rules;
    const Status kept = rules.TryPush(RuleOf(master.settings));
    EMBER_ASSERT(kept == Status::kOk);
    net::ArenaStorage scratch(MKeyFile::ScratchBytes(built.limits()));
    const auto octets = MKeyFile::Write(rules, built.fabric(), MKeyFile{}, scratch.arena());
    return {octets.begin(), octets.end()};
}

}  // namespace ember::swarm
