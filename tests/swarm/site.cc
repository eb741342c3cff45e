// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a site is beside a fabric and its managers.
#include "tests/swarm/site.h"

#include <algorithm>
#include <charconv>

#include "config/netlist/fabric_builder.h"
#include "tests/swarm/chance.h"
#include "tests/swarm/client.h"

namespace ember::swarm {
namespace {

using net::Random;

constexpr std::array kAnyEngine = {
    EngineKind::kMinHop, EngineKind::kUpDn,      EngineKind::kDnUp, EngineKind::kFtree,
    EngineKind::kDor,    EngineKind::kDfsssp,    EngineKind::kLash, EngineKind::kNue,
    EngineKind::kAuto,   EngineKind::kTorus2Qos, EngineKind::kSssp, EngineKind::kPqft,
};

EngineKind AnyEngine(Random& random) {
    return kAnyEngine[random.Below(kAnyEngine.size())];
}

constexpr std::uint16_t kLeaseS = 5;

/// Every end port is a full member of the default partition: hosts register there.
constexpr std::array kOpenDefault{PartitionClass{
    .p_key = kPKeyBase, .ports = PortClass::kAll, .membership = Membership::kFull, .turn = 1}};

/// The default partition is marked ipoib, as everywhere.
PartitionGroup BroadcastGroup() {
    return {.mgid = MgidOf(0),
            .q_key = 0x0B1B,
            .p_key = kPKeyBase,
            .mtu = static_cast<std::uint8_t>(Mtu::k2048),
            .rate = static_cast<std::uint8_t>(Rate::k10Gb)};
}

VlWeights DrawWeights(Random& random, bool all) {
    VlWeights weights;
    for (std::uint8_t vl = 0; vl < 8; ++vl) {
        if (!all && random.Below(2) == 0) continue;
        const auto weight = static_cast<std::uint8_t>(Between(random, 1, 255));
        static_cast<void>(weights.TryPush({.vl = vl, .weight = weight}));
    }
    return weights;
}

}  // namespace

std::optional<Random> Takes(const Case& which, SitePart part) {
    const auto row = static_cast<std::size_t>(part);
    Random random = ChanceOf(which, Part::kSite, row);
    const bool is_in = random.Below(kSitePartRows[row].one_in) == 0;
    const bool is_left_out = (!kSitePartRows[row].known.empty() && !which.with_known) ||
                             (which.without >> row & 1U) != 0;
    if (!is_in || is_left_out) return std::nullopt;
    return random;
}

Site::Site(const Case& which, const net::Netlist& netlist) {
    if (auto random = Takes(which, SitePart::kEngines)) DrawEngines(*random);
    if (auto random = Takes(which, SitePart::kLanes)) DrawLanes(*random);
    if (auto random = Takes(which, SitePart::kPolicy)) DrawPolicy(*random);
    if (auto random = Takes(which, SitePart::kChain)) DrawChain(*random, netlist);
    if (auto random = Takes(which, SitePart::kPartitions)) DrawPartitions(*random, netlist);
    if (auto random = Takes(which, SitePart::kKeys)) DrawKeys(*random);
}

void Site::DrawEngines(Random& random) {
    qos_ = random.Below(4) != 0;
    require_deadlock_free_ = random.Below(4) == 0;
    ChangeEngines(random);
}

void Site::ChangeEngines(Random& random) {
    has_engines_ = true;
    engines_.clear();
    const std::uint32_t count = random.Below(3);
    for (std::uint32_t i = 0; i < count; ++i) {
        const EngineKind kind = AnyEngine(random);
        if (std::find(engines_.begin(), engines_.end(), kind) != engines_.end()) continue;
        static_cast<void>(engines_.TryPush(kind));
    }
}

void Site::DescribeTorus(std::string_view shape, const net::Netlist& netlist) {
    constexpr std::string_view kTorus = "torus:";
    if (!shape.starts_with(kTorus)) return;
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    const char* const end = shape.data() + shape.size();
    const auto read = std::from_chars(shape.data() + kTorus.size(), end, x);
    std::from_chars(read.ptr + 1, end, y);  // Behind the 'x'.
    std::vector<Guid> switches;             // x runs fastest.
    for (const net::NetNode& node : netlist.nodes) {
        if (node.is_switch()) switches.push_back(node.guid);
    }
    EMBER_ASSERT(switches.size() == std::size_t{x} * y);
    TorusShape torus{.radix = {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 1}};
    TorusSeed seed{.from = switches[0]};
    seed.to[1] = switches[1];
    seed.to[3] = switches[x];
    // The cable from the last switch of a row to the first is there from three switches on.
    if (x == 2) torus.open |= 1U;
    if (y == 2) torus.open |= 2U;
    if (x > 2) seed.to[0] = switches[x - 1];
    if (y > 2) seed.to[2] = switches[std::size_t{x} * (y - 1)];
    torus_ = {torus};
    torus_seeds_ = {seed};
}

void Site::DrawLanes(Random& random) {
    qos_ = true;
    LaneSettings& any = lanes_[static_cast<std::size_t>(LanePorts::kAny)];
    // Each VL has its turn in one of the two tables: routes may use any.
    any.low = DrawWeights(random, true);
    if (random.Below(2) == 0) any.high = DrawWeights(random, false);
    if (random.Below(2) == 0) any.high_limit = static_cast<std::int32_t>(random.Below(256));
    if (random.Below(2) == 0) return;
    for (std::size_t sl = 0; sl < kSlToVlEntries; ++sl) {
        static_cast<void>(any.sl_to_vl.TryPush(static_cast<std::uint8_t>(random.Below(8))));
    }
}

void Site::DrawPolicy(Random& random) {
    qos_ = true;
    const std::uint32_t levels = Between(random, 1, 4);
    for (std::uint32_t i = 0; i < levels; ++i) {
        policy_model_.levels.push_back({.sl = static_cast<std::uint8_t>(random.Below(8))});
    }
    const std::uint32_t rules = random.Below(5);
    for (std::uint32_t i = 0; i < rules; ++i) {
        const std::uint64_t first = 0x1000 + random.Below(8);
        testing::PolicyModel::Rule rule;
        rule.level = static_cast<std::uint16_t>(random.Below(levels));
        rule.service_ids = {{.from = first, .to = first + random.Below(4)}};
        policy_model_.rules.push_back(rule);
    }
    policy_.emplace(policy_model_);
}

/// Half of the hosts, by their GUIDs.
void Site::DrawHalf(Random& random, const net::Netlist& netlist) {
    std::vector<std::uint64_t> guids;
    for (const net::NetNode& node : netlist.nodes) {
        if (!node.is_switch()) guids.push_back(Raw(net::PortGuid(node, 1)));
    }
    std::sort(guids.begin(), guids.end());
    const std::size_t first = random.Below(static_cast<std::uint32_t>(guids.size()));
    const std::size_t last = std::min(guids.size() - 1, first + guids.size() / 2);
    groups_ = {{.guids = 1}};
    rules_ = {{guids[first], guids[last], 0, kLastPortOfAll}};
}

void Site::DrawChain(Random& random, const net::Netlist& netlist) {
    constexpr std::uint16_t kAllSwitches = kGroupOfTypes | qos_node_type::kSwitch;
    constexpr std::uint16_t kAllHosts = kGroupOfTypes | qos_node_type::kCa;
    constexpr std::uint16_t kAllRouters = kGroupOfTypes | qos_node_type::kRouter;
    DrawHalf(random, netlist);
    topologies_ = {{.id = 1, .switches = kAllSwitches, .end_ports = kAllHosts},
                   {.id = 2, .switches = kAllSwitches, .end_ports = 0},
                   {.id = 3, .switches = kAllSwitches, .end_ports = kAllRouters}};
    chain_lanes_ = random.Below(4) == 0;
    if (chain_lanes_) qos_ = true;
    const std::uint32_t count = Between(random, 2, 4);
    for (std::uint32_t i = 0; i < count; ++i) {
        ChainStep step{.id = 10 * (i + 1)};
        do {
            step.engine = AnyEngine(random);
        } while (!IsForChains(step.engine, chain_lanes_));
        constexpr std::array<std::uint8_t, 6> kTopologies = {0, 1, 1, 2, 2, 3};
        if (i != 0) step.topology = kTopologies[random.Below(kTopologies.size())];
        if (i > 1 && random.Below(3) == 0 && steps_[i - 1].fallback_of == 0) {
            step.topology = steps_[i - 1].topology;
            step.fallback_of = static_cast<std::uint8_t>(i);
        }
        steps_.push_back(step);
    }
}

void Site::DrawPartitions(Random& random, const net::Netlist& netlist) {
    testing::PartitionFile& file = files_.emplace_back();
    file.groups = {BroadcastGroup()};
    const std::uint32_t count = Between(random, 1, 4);
    for (std::uint32_t k = 1; k <= count; ++k) {
        for (const net::NetNode& node : netlist.nodes) {
            for (std::uint32_t port = 1; !node.is_switch() && port <= node.port_count(); ++port) {
                if (random.Below(2) == 0) continue;
                file[static_cast<std::uint16_t>(k)][net::PortGuid(node, port)] =
                    static_cast<Membership>(Between(random, 1, 2));
            }
        }
    }
    Settings filled;
    file.Fill(filled);
    partition_tables_ = filled.manager_tables;
}

void Site::ChangeMembers(Random& random) {
    if (!has_partitions()) return;
    testing::PartitionFile file = files_.back();
    for (const auto& [base, members] : files_.back().members()) {
        for (const auto& [guid, membership] : members) {
            if (random.Below(3) == 0) file[base][guid] = static_cast<Membership>(random.Below(3));
        }
    }
    files_.push_back(std::move(file));
    Settings filled;
    files_.back().Fill(filled);
    partition_tables_ = filled.manager_tables;
}

void Site::DrawKeys(Random& random) {
    m_key_ = random.Next() | 1U;
    m_key_per_port_ = random.Below(2) == 0;
    m_key_level_ = static_cast<std::uint8_t>(random.Below(3));
    m_key_lease_ = random.Below(2) == 0 ? kLeaseS : std::uint16_t{0};
}

void Site::ChangeMKey(Random& random) {
    if (has_keys()) m_key_ = random.Next() | 1U;
}

void Site::LeaseKeys(std::size_t managers) {
    if (m_key_level_ > 0 && (m_key_per_port_ || managers > 1)) m_key_lease_ = kLeaseS;
}

void Site::PutInto(Settings& settings) const {
    if (has_engines_) {
        settings.routing_engine = engines_;
        settings.require_deadlock_free = require_deadlock_free_;
    }
    settings.tables.torus = torus_;
    settings.tables.torus_seeds = torus_seeds_;
    settings.qos = qos_;
    settings.lanes = lanes_;
    settings.chain_lanes = chain_lanes_;
    ManagerTables& tables = settings.manager_tables;
    tables = {};
    if (has_partitions()) {
        tables.partitions = partition_tables_.partitions;
        tables.partition_ports = partition_tables_.partition_ports;
        tables.partition_classes = kOpenDefault;
        tables.partition_groups = partition_tables_.partition_groups;
    }
    if (policy_) policy_->PutInto(settings);
    tables.topologies = topologies_;
    tables.chain_steps = steps_;
    tables.port_groups = groups_;
    tables.port_group_rules = rules_;
    if (!has_keys()) return;
    settings.m_key = m_key_;
    settings.m_key_per_port = m_key_per_port_;
    settings.m_key_protection_level = m_key_level_;
    settings.m_key_lease_period = m_key_lease_;
}

}  // namespace ember::swarm
