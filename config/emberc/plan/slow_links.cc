// SPDX-License-Identifier: Apache-2.0
// EmberSM: links between switches that run slower than what is beside them.
#include "config/emberc/plan/slow_links.h"

#include <algorithm>
#include <tuple>

namespace ember::plan {

std::vector<SlowLink> SlowLinks(const Topology& topology) {
    const auto rate_of = [&](SwitchIndex at, PortNumber port) {
        return topology.traits(at, port).rate;
    };
    std::vector<Rate> fastest(topology.switch_bound(), Rate::kNone);
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            Rate& best = fastest[Raw(at)];
            if (RateRank(rate_of(at, trunk.port)) > RateRank(best)) best = rate_of(at, trunk.port);
        }
    }
    std::vector<SlowLink> links;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            const Rate here = fastest[Raw(at)];
            const Rate there = fastest[Raw(trunk.peer)];
            const SlowLink link{.one = at,
                                .port = trunk.port,
                                .other = trunk.peer,
                                .other_port = trunk.peer_port,
                                .rate = rate_of(at, trunk.port),
                                .beside = RateRank(here) < RateRank(there) ? here : there};
            const Guid guid = topology.switch_row(at).guid;
            const Guid other = topology.switch_row(trunk.peer).guid;
            const bool is_first = std::tuple(guid, trunk.port) < std::tuple(other, trunk.peer_port);
            if (is_first && RateRank(link.rate) < RateRank(link.beside)) links.push_back(link);
        }
    }
    const auto place = [&](const SlowLink& link) {
        return std::tuple(RateRank(link.rate), topology.switch_row(link.one).guid, link.port);
    };
    std::sort(links.begin(), links.end(), [&](const SlowLink& one, const SlowLink& other) {
        return place(one) < place(other);
    });
    return links;
}

}  // namespace ember::plan
