// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of bandwidth.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "platform/sim/sim_bandwidth.h"
#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"

namespace ember::acts {
namespace {

/// The limits of SL 1 and 2 that a host's device has: of all, and of virtual port 0.
std::string Limits(const Settings& settings) {
    constexpr std::uint32_t kHost = 3;
    const auto world = BringUp(settings);
    const auto rates = [&world](std::uint32_t number) {
        sim::SimBandwidthTable table;
        const auto octets = world->world().BandwidthBlock(world->sim().RowOf(kHost, 1), number);
        std::copy(octets.begin(), octets.end(), table.octets().begin());
        return fmt::format("{}, {}", table.rate(1), table.rate(2));
    };
    return rates(0) + "; " + rates(1);
}

}  // namespace

std::vector<Row> BandwidthRows() {
    const File file = {"e.conf",
                       "BW_NAMES\nslow = 50\nslower = 20\nBW_RULES\ndefault = 1:slow\nhosts = "
                       "2:slower\nVPORT_BW_RULES\ndefault = all:slower\n"};
    const File groups = {"q.conf",
                         "port-groups\nport-group\nname: hosts\nnode-type: CA\nend-port-group\n"
                         "end-port-groups\nqos-ulps\ndefault: 0\nend-qos-ulps\n"};
    // Groups of this name in both files: that of pgrp_policy_file counts.
    const File routers = {"q.conf",
                          "port-groups\nport-group\nname: hosts\nnode-type: ROUTER\n"
                          "end-port-group\nend-port-groups\nqos-ulps\ndefault: 0\nend-qos-ulps\n"};
    const File policy_groups = {
        "g.conf", "port-group\nname: hosts\nsubtract-rule: ALL, ALL_SWITCHES\nend-port-group\n"};
    constexpr std::string_view kQos = "qos TRUE\nqos_policy_file q.conf\n";
    constexpr std::string_view kPolicy =
        "qos TRUE\nqos_policy_file q.conf\nenhanced_qos_policy_file e.conf\n";
    return {
        {"enhanced_qos_policy_file",
         "e.conf",
         &Limits,
         "0, 0; 0, 0",
         "50, 20; 0, 0",
         kQos,
         {file, groups}},
        {"pgrp_policy_file",
         "g.conf",
         &Limits,
         "50, 0; 0, 0",
         "50, 20; 0, 0",
         "qos TRUE\nqos_policy_file q.conf\nenhanced_qos_policy_file e.conf\n",
         {file, routers, policy_groups}},
        {"enhanced_qos_vport0_unlimit_default_rl",
         "FALSE",
         &Limits,
         "50, 20; 0, 0",
         "50, 20; 20, 20",
         kPolicy,
         {file, groups}},
    };
}

}  // namespace ember::acts
