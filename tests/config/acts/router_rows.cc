// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys of routers: what a host is told of paths to another subnet.
#include <algorithm>

#include "core/wire/guid_info.h"
#include "core/wire/path_record.h"
#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"
#include "tests/support/sa_client.h"

namespace ember::acts {
namespace {

using testing::SaClient;
using P = PathRecord;

constexpr std::uint32_t kClient = 5;  ///< The host that asks.
constexpr std::uint64_t kPrefix = 0xFE80000000000000;

/// Eight hosts and a router at one switch.
struct RoutedNet {
    net::Netlist net = net::SingleSwitch(8);
    std::uint32_t router = 0;

    RoutedNet() {
        const std::uint32_t leaf = net.nodes[0].ports[1].peer;
        router = net.Add(NodeType::kRouter, 1, "router", "");
        net.nodes[leaf].ports.resize(net.nodes[leaf].ports.size() + 1);
        EXPECT_TRUE(net.ConnectAny(router, leaf));
        net.AssignGuids();
    }
};

/// The path to a GID of another subnet; an empty record: there is none.
P PathBeyond(SimWorld& world) {
    SaClient client(world, kClient);
    P asked;
    asked.Set(P::kSgidPrefix, kPrefix);
    asked.Set(P::kSgidGuid, client.guid());
    asked.Set(P::kDgidPrefix, std::uint64_t{0x2001000000000000});
    asked.Set(P::kDgidGuid, Guid{0x77});
    const SaMad answer = client.Ask(Method::kGet, SaAttribute::kPathRecord,
                                    1U << P::kHasDgid | 1U << P::kHasSgid, asked);
    return answer.header.status == 0 ? RecordIn<P>(answer) : P{};
}

std::string RouterOf(const Settings& settings) {
    const RoutedNet routed;
    const auto world = BringUp(settings, routed.net);
    const P path = PathBeyond(*world);
    if (path.Get(P::kDlid) == kNoLid) return "no path";
    return path.Get(P::kDlid) == LidOf(*world, routed.router) ? "by the router" : "?";
}

/// A field of that path.
template <typename Value>
Look FieldOf(Field<Value> field) {
    return [field](const Settings& settings) {
        const RoutedNet routed;
        return Text(PathBeyond(*BringUp(settings, routed.net)).Get(field));
    };
}

/// GUID 1 of the router's port, as the device has it; of another port it is as much.
std::string AliasOfAPort(const Settings& settings) {
    const RoutedNet routed;
    const auto world = BringUp(settings, routed.net);
    const auto block = world->world().GuidBlock(world->sim().RowOf(routed.router, 1));
    GuidInfo table;
    std::copy_n(block.begin(), table.octets().size(), table.octets().begin());
    if (table.guid(1) == kNoGuid) return "none";
    const std::uint64_t alias =
        0x0014050000000000 + std::uint64_t{Raw(LidOf(*world, routed.router))};
    return Raw(table.guid(1)) == alias ? "of its LID" : "?";
}

}  // namespace

std::vector<Row> RouterRows() {
    const File routes{"routes", "* *\n"};
    constexpr std::string_view kRoutes = "prefix_routes_file routes\n";
    // clang-format off
    return {
        {"prefix_routes_file", "routes", &RouterOf, "no path", "by the router", {}, {routes}},
        {"rtr_pr_flow_label", "0x54321", FieldOf(P::kFlowLabel), "0", "344865", kRoutes, {routes}},
        {"rtr_pr_tclass", "7", FieldOf(P::kTClass), "0", "7", kRoutes, {routes}},
        {"rtr_pr_sl", "5", FieldOf(P::kSl), "0", "5", kRoutes, {routes}},
        {"rtr_pr_mtu", "255", FieldOf(P::kMtu), "4", "5", kRoutes, {routes}},
        {"rtr_pr_rate", "7", FieldOf(P::kRate), "16", "7", kRoutes, {routes}},
        {"rtr_aguid_enable", "1", &AliasOfAPort, "none", "of its LID"},
    };
    // clang-format on
}

}  // namespace ember::acts
