// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys that say which engine routes, and what it may do.
#include <array>

#include "config/emberc/plan/node_by_word.h"
#include "config/emberc/plan/planner.h"
#include "config/netlist/topologies.h"
#include "core/log/words.h"
#include "tests/config/acts/paper.h"
#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"
#include "tests/engines/fat_tree/tree_builder.h"

namespace ember::acts {
namespace {

/// Six switches in a ring, where shortest paths can close a loop of credits.
std::string OnARing(const Settings& settings) {
    return Paper(net::Ring(6, 1), settings).Verdict();
}

/// Two spines (GUIDs 0x200000 and 0x200001) above three leaves.
net::Netlist Spines() {
    TwoLevels tree(3);
    tree.netlist.AssignGuids();
    return tree.netlist;
}

std::string BetweenSpines(const Settings& settings) {
    return fmt::format("{}", Paper(Spines(), settings).Exit("spine0", "spine1"));
}

/// Five switches in a ring, ports 1 to the next and 2 to the one before. With the first as the root
/// the cable between the third (0x200002) and the fourth joins two of one level: who of them is
/// above the other is a matter of their numbers. Where the fourth is above, the second cannot reach
/// it that way: it would go down and up again.
std::string RoundARing(const Settings& settings) {
    net::Netlist ring;
    for (std::uint32_t i = 0; i < 5; ++i) {
        ring.Add(NodeType::kSwitch, 3, fmt::format("{}", i), "");
    }
    for (std::uint32_t i = 0; i < 5; ++i) {
        ring.Connect(i, 1, (i + 1) % 5, 2);
    }
    for (std::uint32_t i = 0; i < 5; ++i) {
        ring.Connect(ring.Add(NodeType::kChannelAdapter, 1, fmt::format("h{}", i), ""), 1, i, 3);
    }
    ring.AssignGuids();
    return fmt::format("{}", Paper(ring, settings).Exit("1", "h3"));
}

/// Why the first engine of the list did not route a torus.
std::string WhyNotTheTorus(const Settings& settings) {
    const net::Netlist netlist = net::Torus(std::array{3U, 3U}, 1);
    const plan::Planned plan(netlist, plan::FindHome(netlist, "", kNoGuid), settings);
    const auto& attempts = plan.verdict().attempts;
    return attempts.empty() ? "" : std::string(kEngineFaultWords[Raw(attempts[0].complaint.what)]);
}

/// Two switches, two cables between them on ports 1 and 2, a host at each.
net::Netlist Pair() {
    net::Netlist netlist;
    const auto one = netlist.Add(NodeType::kSwitch, 3, "one", "");
    const auto other = netlist.Add(NodeType::kSwitch, 3, "other", "");
    netlist.Connect(one, 1, other, 1);
    netlist.Connect(one, 2, other, 2);
    netlist.Connect(netlist.Add(NodeType::kChannelAdapter, 1, "h1", ""), 1, one, 3);
    netlist.Connect(netlist.Add(NodeType::kChannelAdapter, 1, "h2", ""), 1, other, 3);
    netlist.AssignGuids();
    return netlist;
}

std::string ExitOfThePair(const Settings& settings) {
    const Paper paper(Pair(), settings);
    return fmt::format("{} by port {}", paper.Verdict(), paper.Exit("one", "h2"));
}

/// How many LIDs the first switch sends over the first cable, which came up at 1x.
std::string OverTheSlowCable(const Settings& settings) {
    SimWorld world(Pair());
    for (const std::uint32_t node : {0U, 1U}) {
        PortInfo& info = world.world().port(world.sim().RowOf(node, 1)).info;
        info.Set(PortInfo::kLinkWidthActive, std::uint8_t{link_width::k1x});
    }
    world.AddManager(2, 1, settings);
    EXPECT_TRUE(world.RunUntilQuiet(30 * kSecond));
    unsigned count = 0;
    for (std::uint32_t lid = 1; lid <= 4; ++lid) {
        count += world.world().LftEntry(0, lid) == 1 ? 1U : 0U;
    }
    return fmt::format("{}", count);
}

/// Dumps of OpenSM that lead all that passes between the two over the first cable, which min-hop
/// does not. LIDs are those that the ports of Pair() have.
struct Dumps {
    Dumps() {
        const Paper now(Pair(), Settings{});
        const net::Netlist pair = Pair();
        for (const std::string_view here : {"one", "other"}) {
            const std::uint64_t guid = Raw(pair.nodes[pair.Find(here)].guid);
            lfts += fmt::format("Unicast lids [0-4] of switch Lid {} guid {:#018x} ('{}'):\n",
                                Raw(now.LidOf(here)), guid, here);
            matrix += fmt::format("Switch: guid {:#018x}\n", guid);
            for (const std::string_view to : {"one", "other", "h1", "h2"}) {
                const bool is_near = (here == "one") == (to == "one" || to == "h1");
                const unsigned host = to[0] == 'h' ? 3 : 0;
                lfts += fmt::format("{:#06x} {:03} # \n", Raw(now.LidOf(to)), is_near ? host : 1);
                if (host != 0) continue;
                matrix += fmt::format("{:#06x}: {}\n", Raw(now.LidOf(to)),
                                      is_near ? "00 ff ff ff" : "01 01 09 ff");
            }
            lfts += "4 valid lids dumped\n";
        }
    }
    std::string lfts;
    std::string matrix;
};

/// Entries that are not as lash makes them without any of its options.
std::string MovedOnAMesh(const Settings& settings) {
    const net::Netlist mesh = net::Mesh(std::array{4U, 5U}, 1);
    Settings plain = settings;
    plain.do_mesh_analysis = false;
    const Paper paper(mesh, settings);
    return fmt::format("{}, {} moved", paper.Verdict(), paper.EntriesUnlike(Paper(mesh, plain)));
}

/// A tree of two levels: what became of its tables, and the engine of each step.
std::string ByAChain(const Settings& settings) {
    const net::Netlist tree = net::FatTree2(4);
    const Paper paper(tree, settings);
    const plan::Planned plan(tree, plan::FindHome(tree, "", kNoGuid), settings);
    std::string steps;
    for (const RoutingAttempt& attempt : plan.verdict().attempts) {
        steps += fmt::format(", {} {}", attempt.step_id, attempt.engine);
    }
    return paper.Verdict() + steps;
}

std::string LanesOfATree(const Settings& settings) {
    const Paper paper(net::FatTree3(4), settings);
    return fmt::format("{} on lanes below {}", paper.Verdict(), paper.Lanes());
}

std::string LanesOfARing(const Settings& settings) {
    const Paper paper(net::Ring(6, 1), settings);
    return fmt::format("{} on lanes below {}", paper.Verdict(), paper.Lanes());
}

}  // namespace

std::vector<Row> EngineRows() {
    const Dumps dumps;
    const File spines{"spines", "0x200000\n0x200001\n"};
    const File root{"root", "0x200000\n"};
    const File leaf{"leaf", "0x200002\n"};
    const File ids{"ids", "0x200002 9\n0x200003 1\n"};
    const File lfts{"lfts", dumps.lfts};
    const File matrix{"matrix", dumps.matrix};
    const File torus{"torus", "torus 3 3 1\nxp_link 0xdead 0xbeef\nyp_link 0xdead 0xfeed\n"};
    const File chain{"chain",
                     "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                     "unicast-step\nid: 7\nengine: updn\nend-unicast-step\n"};
    const File alone{"alone", "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"};
    const File parts{"parts", "topology\nid: 3\nsw-grp: ALL\nhca-grp: ALL_CAS\nend-topology\n"};
    const File by_part{"by_part",
                       "unicast-step\nid: 1\nengine: minhop\nend-unicast-step\n"
                       "unicast-step\nid: 9\nengine: ftree\ntopology: 3\nend-unicast-step\n"};
    // clang-format off
    return {
        {"rch_policy_file", "chain", &ByAChain, "auto: verified, 0 auto",
         "chain: verified, 1 minhop, 7 updn", "", {chain}},
        {"topo_policy_file", "parts", &ByAChain, "auto: verified, 0 auto",
         "chain: verified, 1 minhop, 9 ftree", "", {parts, by_part},
         "rch_policy_file by_part\n"},
        {"chain_lanes", "TRUE", &LanesOfARing, "chain: possible credit loop on lanes below 1",
         "chain: verified on lanes below 2", "rch_policy_file alone\nqos TRUE\n", {alone}},
        {"routing_lanes", "FALSE", &LanesOfARing, "auto: verified on lanes below 2",
         "auto: verified on lanes below 1", ""},
        {"routing_engine", "updn", &OnARing, "auto: verified", "updn: verified",
         "root_guid_file root\n", {root}},
        {"require_deadlock_free", "TRUE", &OnARing, "minhop: possible credit loop",
         "safe: safe routing", "routing_engine minhop\n"},
        {"connect_roots", "TRUE", &BetweenSpines, "255", "2",
         "routing_engine updn\nroot_guid_file spines\n", {spines}},
        {"root_guid_file", "leaf", &BetweenSpines, "255", "1", "routing_engine updn\n", {leaf}},
        {"ids_guid_file", "ids", &RoundARing, "1", "2",
         "routing_engine updn\nroot_guid_file root\n", {root, ids}},
        {"lfts_file", "lfts", &ExitOfThePair, "minhop: verified by port 2",
         "file: verified by port 1", "routing_engine file,minhop\n", {lfts}},
        {"lid_matrix_dump_file", "matrix", &ExitOfThePair, "minhop: verified by port 2",
         "file: verified by port 1", "routing_engine file,minhop\n", {matrix}},
        {"torus_config", "torus", &WhyNotTheTorus, "torus_config names no file",
         "no seed of torus_config has all its switches here",
         "routing_engine torus-2QoS,minhop\nqos TRUE\n", {torus}},
        {"avoid_throttled_links", "TRUE", &OverTheSlowCable, "1", "0", "routing_engine sssp\n"},
        {"do_mesh_analysis", "TRUE", &MovedOnAMesh, "lash: verified, 0 moved",
         "lash: verified, 240 moved", "routing_engine lash\nqos TRUE\n"},
        {"lash_start_vl", "2", &LanesOfARing, "lash: verified on lanes below 2",
         "lash: verified on lanes below 4", "routing_engine lash\nqos TRUE\n"},
        {"nue_max_num_vls", "0", &LanesOfARing, "nue: verified on lanes below 1",
         "nue: verified on lanes below 2", "routing_engine nue\nqos TRUE\n"},
        {"nue_include_switches", "TRUE", &LanesOfATree, "nue: verified on lanes below 1",
         "nue: verified on lanes below 3", "routing_engine nue\nqos TRUE\nnue_max_num_vls 0\n"},
    };
    // clang-format on
}

}  // namespace ember::acts
