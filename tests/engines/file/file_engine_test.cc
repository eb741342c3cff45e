// SPDX-License-Identifier: Apache-2.0
// EmberSM: routes from files: what they say is done, and what no longer fits is translated or said.

#include "engines/file/file_engine.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "engines/min_hop.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

using testing::RoutingRun;
using testing::SlowDestination;
using testing::SlowTables;

/// The contents of files: min-hop's tables or hops on this fabric, with the LIDs of that time.
class Files {
public:
    explicit Files(const net::Netlist& netlist) : netlist_(netlist), run_(netlist) {
        MinHop min_hop;
        EXPECT_TRUE(run_.Route(min_hop).may_program());
        tables_ = run_.planned();
    }

    /// lfts_file with each LID moved by `shift`, as if it had been written under other LIDs.
    Settings& WriteTables(std::uint32_t shift) {
        for (const auto& [node, row] : tables_) {
            const auto first = static_cast<std::uint32_t>(octets_.size());
            octets_.resize(octets_.size() + shift, 255);
            octets_.insert(octets_.end(), row.begin(), row.end());
            lfts_.push_back({.guid = netlist_.nodes[node].guid,
                             .first = first,
                             .count = static_cast<std::uint32_t>(octets_.size()) - first});
        }
        AddOwners([shift](std::uint32_t lid) { return lid + shift; });
        settings_.tables.has_lfts = true;
        settings_.tables.lfts = lfts_;
        settings_.tables.lft_ports = octets_;
        settings_.tables.lft_owners = owners_;
        return settings_;
    }

    /// lid_matrix_dump_file: true hops by every port, LIDs moved likewise.
    Settings& WriteMatrix(std::uint32_t shift) {
        return WriteMatrix(run_.reference().top_lid() + shift + 1,
                           [shift](std::uint32_t lid) { return lid + shift; });
    }

    /// As OpenSM writes it: rows and owners of switches alone. Each LID was one less, so that the
    /// number of a host, without an owner in the file, is the LID of a switch today.
    Settings& WriteEarlierMatrix() {
        const std::uint32_t top = run_.reference().top_lid();
        WriteMatrix(top + 1, [top](std::uint32_t lid) { return lid == 1 ? top : lid - 1; });
        std::erase_if(owners_, [this](const LidOwner& owner) {
            return std::none_of(
                netlist_.nodes.begin(), netlist_.nodes.end(),
                [&](const auto& node) { return node.is_switch() && node.guid == owner.port_guid; });
        });
        settings_.tables.matrix_owners = owners_;
        return settings_;
    }

    template <class Number>
    Settings& WriteMatrix(std::uint32_t lids, Number&& number) {
        const testing::RoutingReference& reference = run_.reference();
        for (const std::uint32_t node : reference.switches()) {
            const std::size_t width = netlist_.nodes[node].ports.size();
            const auto first = static_cast<std::uint32_t>(octets_.size());
            octets_.resize(octets_.size() + lids * width, 255);
            for (const SlowDestination& to : reference.destinations()) {
                if (!to.is_switch) continue;
                const std::size_t row = first + number(to.lid) * width;
                octets_[row] = static_cast<std::uint8_t>(reference.Hops(node, to.at));
                for (std::size_t port = 1; port < width; ++port) {
                    const std::uint32_t peer = netlist_.nodes[node].ports[port].peer;
                    if (peer == net::kNoPeer || !netlist_.nodes[peer].is_switch()) continue;
                    octets_[row + port] =
                        static_cast<std::uint8_t>(reference.Hops(peer, to.at) + 1);
                }
            }
            matrix_.push_back({.guid = netlist_.nodes[node].guid,
                               .first = first,
                               .lids = lids,
                               .port_count = static_cast<std::uint8_t>(width - 1)});
        }
        AddOwners(number);
        settings_.tables.has_matrix = true;
        settings_.tables.matrix = matrix_;
        settings_.tables.matrix_hops = octets_;
        settings_.tables.matrix_owners = owners_;
        return settings_;
    }

    [[nodiscard]] RoutingRun& run() { return run_; }
    [[nodiscard]] const SlowTables& tables() const { return tables_; }
    [[nodiscard]] std::vector<FileTable>& lfts() { return lfts_; }
    [[nodiscard]] std::vector<FileMatrix>& matrix() { return matrix_; }
    [[nodiscard]] std::vector<std::uint8_t>& octets() { return octets_; }

private:
    template <class Number>
    void AddOwners(Number&& number) {
        for (const SlowDestination& to : run_.reference().destinations()) {
            owners_.push_back(
                {.lid = static_cast<Lid>(number(to.lid)), .port_guid = static_cast<Guid>(to.guid)});
        }
        std::sort(owners_.begin(), owners_.end(),
                  [](const LidOwner& one, const LidOwner& two) { return one.lid < two.lid; });
    }

    const net::Netlist& netlist_;
    RoutingRun run_;
    SlowTables tables_;
    std::vector<FileTable> lfts_;
    std::vector<FileMatrix> matrix_;
    std::vector<std::uint8_t> octets_;
    std::vector<LidOwner> owners_;
    Settings settings_ = testing::OpensmSettings();
};

TEST(FileEngine, RoutesAsTheFileSays) {
    const net::Netlist netlist = net::FatTree3(4);
    Files files(netlist);
    FileEngine engine;
    ASSERT_TRUE(files.run().Route(engine, files.WriteTables(0)).may_program());
    EXPECT_EQ(files.run().planned(), files.tables());
}

TEST(FileEngine, FollowsPortsToTheLidsTheyHaveNow) {
    const net::Netlist netlist = net::FatTree3(4);
    Files files(netlist);
    FileEngine engine;
    ASSERT_TRUE(files.run().Route(engine, files.WriteTables(1000)).may_program());
    EXPECT_EQ(files.run().planned(), files.tables());
}

TEST(FileEngine, ReadsTheOwnersOfLidsInSlices) {
    const net::Netlist netlist = net::FatTree3(4);
    for (const bool by_matrix : {false, true}) {
        Files files(netlist);
        FileEngine engine;
        Settings settings = by_matrix ? files.WriteMatrix(40000) : files.WriteTables(40000);
        ASSERT_TRUE(files.run().Route(engine, settings).may_program());
        const testing::SlowTables wanted = files.run().planned();
        const std::size_t short_slices = files.run().slices();
        auto& owners = by_matrix ? settings.tables.matrix_owners : settings.tables.lft_owners;
        std::vector<LidOwner> all;
        for (std::uint16_t lid = 1; lid < 40000; ++lid) {
            all.push_back({.lid = Lid{lid}, .port_guid = Guid{0xDEAD}});
        }
        all.insert(all.end(), owners.begin(), owners.end());
        owners = all;
        ASSERT_TRUE(files.run().Route(engine, settings).may_program());
        EXPECT_EQ(files.run().planned(), wanted);
        EXPECT_GE(files.run().slices(), short_slices + 40000 / 4096);
    }
}

TEST(FileEngine, SkipsSwitchesThatAreNotHere) {
    const net::Netlist netlist = net::FatTree2(4);
    Files files(netlist);
    Settings& settings = files.WriteTables(0);
    files.lfts().push_back({.guid = Guid{0xDEAD}, .first = 0, .count = 4});
    settings.tables.lfts = files.lfts();
    FileEngine engine;
    ASSERT_TRUE(files.run().Route(engine, settings).may_program());
    EXPECT_EQ(files.run().planned(), files.tables());
}

TEST(FileEngine, NamesTheSwitchAndThePortItDoesNotHave) {
    const net::Netlist netlist = net::FatTree2(4);
    Files files(netlist);
    Settings& settings = files.WriteTables(0);
    files.octets()[files.lfts()[1].first + 3] = 77;
    FileEngine engine;
    const Verdict& verdict = files.run().Route(engine, settings);
    EXPECT_EQ(verdict.reason, RoutingReason::kEngineFailed);
    const EngineComplaint wanted{.what = EngineFault::kUnknownPort,
                                 .guid = files.lfts()[1].guid,
                                 .port = static_cast<PortNumber>(77)};
    EXPECT_EQ(engine.complaint(), wanted);
}

TEST(FileEngine, AFileThatNoLongerFitsIsRefusedByTheVerifier) {
    const net::Netlist netlist = net::FatTree2(4);
    Files files(netlist);
    Settings& settings = files.WriteTables(0);
    settings.tables.lfts = settings.tables.lfts.first(2);  // The other switches would drop all.
    FileEngine engine;
    EXPECT_EQ(files.run().Route(engine, settings).reason, RoutingReason::kLostPair);
}

TEST(FileEngine, WithoutAFileItRefuses) {
    const net::Netlist netlist = net::FatTree2(4);
    RoutingRun run(netlist);
    FileEngine engine;
    EXPECT_EQ(run.Route(engine).reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(engine.complaint().what, EngineFault::kNoFile);
}

TEST(FileEngine, BuildsOverAMatrixAsMinHopDoesOverItsOwn) {
    for (const std::uint32_t shift : {0U, 500U}) {
        const net::Netlist netlist = net::Torus(std::array{4U, 4U}, 2);
        Files files(netlist);
        FileEngine engine;
        ASSERT_TRUE(files.run().Route(engine, files.WriteMatrix(shift)).may_program());
        EXPECT_EQ(files.run().planned(), files.tables());
    }
}

TEST(FileEngine, ANumberWithoutAnOwnerIsNotTheLidThatItIsToday) {
    const net::Netlist netlist = net::FatTree3(4);
    Files files(netlist);
    FileEngine engine;
    ASSERT_TRUE(files.run().Route(engine, files.WriteEarlierMatrix()).may_program());
    EXPECT_EQ(files.run().planned(), files.tables());
}

TEST(FileEngine, TakesTheMatrixAtItsWord) {
    const net::Netlist netlist = net::ParallelLinks(4, 10);
    Files files(netlist);
    Settings& settings = files.WriteMatrix(0);
    const FileMatrix& matrix = files.matrix()[0];
    const std::uint32_t node = files.run().reference().switches()[0];
    std::vector<std::uint8_t> cables;
    for (std::uint8_t port = 1; port <= matrix.port_count; ++port) {
        const std::uint32_t peer = netlist.nodes[node].ports[port].peer;
        if (peer != net::kNoPeer && netlist.nodes[peer].is_switch()) cables.push_back(port);
    }
    const std::uint8_t detour = cables.back();  // Is said to be one.
    for (std::uint32_t lid = 0; lid < matrix.lids; ++lid) {
        std::uint8_t& hops = files.octets()[matrix.first + lid * (matrix.port_count + 1U) + detour];
        if (hops != 255) hops = 9;
    }
    FileEngine engine;
    ASSERT_TRUE(files.run().Route(engine, settings).may_program());
    const auto planned = files.run().planned();
    const auto& row = planned.at(node);
    EXPECT_EQ(std::count(row.begin(), row.end(), detour), 0);
    EXPECT_GT(std::count(row.begin(), row.end(), cables[0]), 0);
}

TEST(FileEngine, NamesTheSwitchWithFewerPortsThanTheMatrix) {
    const net::Netlist netlist = net::FatTree2(4);
    Files files(netlist);
    Settings& settings = files.WriteMatrix(0);
    files.matrix()[2].port_count = 200;
    FileEngine engine;
    EXPECT_EQ(files.run().Route(engine, settings).reason, RoutingReason::kEngineFailed);
    EXPECT_EQ(engine.complaint().guid, files.matrix()[2].guid);
}

}  // namespace
}  // namespace ember
