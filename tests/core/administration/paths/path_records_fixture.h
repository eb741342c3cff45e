// SPDX-License-Identifier: Apache-2.0
// EmberSM: a small fabric, and questions for its paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "tests/core/administration/paths/path_net.h"

namespace ember::testing {

// 3[4]-6[4], 3[5]-6[5].
[[nodiscard]] inline net::Netlist Pair() {
    net::Netlist netlist;
    for (const char* name : {"a", "b", "c"}) {
        netlist.Add(NodeType::kChannelAdapter, 1, name, name);
    }
    netlist.Add(NodeType::kSwitch, 8, "s", "s");
    for (const char* name : {"d", "e"}) {
        netlist.Add(NodeType::kChannelAdapter, 1, name, name);
    }
    netlist.Add(NodeType::kSwitch, 8, "t", "t");
    netlist.Add(NodeType::kRouter, 1, "r", "r");
    for (std::uint32_t i = 0; i < 3; ++i) {
        netlist.Connect(i, 1, 3, i + 1);
    }
    netlist.Connect(4, 1, 6, 1);
    netlist.Connect(5, 1, 6, 2);
    netlist.Connect(3, 4, 6, 4);
    netlist.Connect(3, 5, 6, 5);
    netlist.Connect(7, 1, 6, 6);
    netlist.AssignGuids();
    return netlist;
}

[[nodiscard]] inline net::BuiltFabric::Options WithLmc(std::uint8_t lmc) {
    net::BuiltFabric::Options options;
    options.lmc = lmc;
    return options;
}

class PathRecordsTest : public ::testing::Test {
protected:
    explicit PathRecordsTest(std::uint8_t lmc = 0) : net_(Pair(), WithLmc(lmc)) {}

    Port& Host(std::uint32_t node) {
        return net_.port(
            node, net_.fabric().node(net_.built().node(node)).type == NodeType::kSwitch ? 0 : 1);
    }

    /// A question for paths between two ports, by LID.
    PathRecord ByLids(std::uint32_t from, std::uint32_t to) {
        PathRecord asked;
        asked.Set(PathRecord::kSlid, Host(from).lid);
        asked.Set(PathRecord::kDlid, Host(to).lid);
        return asked;
    }
    PathRecord ByGids(std::uint32_t from, std::uint32_t to) {
        PathRecord asked;
        asked.Set(PathRecord::kSgidPrefix, kPrefix);
        asked.Set(PathRecord::kSgidGuid, Host(from).guid);
        asked.Set(PathRecord::kDgidPrefix, kPrefix);
        asked.Set(PathRecord::kDgidGuid, Host(to).guid);
        return asked;
    }
    std::size_t Count(std::uint64_t mask, const PathRecord& asked) {
        const PathAnswer answer = net_.Ask(Method::kGetTable, mask, asked);
        EXPECT_EQ(answer.status, SaStatus::kOk);
        return answer.records.size();
    }
    /// The one path, asked by LIDs and what `asked` holds more.
    std::vector<PathRecord> Between(std::uint32_t from, std::uint32_t to, std::uint64_t more = 0,
                                    PathRecord asked = {}) {
        asked.Set(PathRecord::kSlid, Host(from).lid);
        asked.Set(PathRecord::kDlid, Host(to).lid);
        return net_.Ask(Method::kGet, kLids | more, asked).records;
    }

    static constexpr std::uint64_t kLids = Mask(PathRecord::kHasSlid, PathRecord::kHasDlid);
    static constexpr std::uint64_t kGids = Mask(PathRecord::kHasSgid, PathRecord::kHasDgid);
    PathNet net_;
};

class PathRecordsWithLmc : public PathRecordsTest {
protected:
    PathRecordsWithLmc() : PathRecordsTest(2) {}
};

}  // namespace ember::testing
