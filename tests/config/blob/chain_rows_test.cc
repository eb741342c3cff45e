// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the topologies and chain of a blob: somebody with the key may have made them
// badly.
#include "config/blob/chain_rows.h"

#include <functional>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "core/settings/qos_tables.h"
#include "core/settings/settings.h"
#include "tests/config/blob/rows_of_blob.h"

namespace ember::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using schema::RoutingEngine;

/// Two topologies and three steps, to be spoiled.
struct Rows {
    std::vector<schema::PortTopology> topologies{
        {3, 1, kGroupOfTypes | qos_node_type::kSwitch, kGroupOfTypes | qos_node_type::kAll},
        {7, 6, kGroupOfTypes | qos_node_type::kAll, kGroupOfTypes | qos_node_type::kRouter}};
    std::vector<schema::ChainStep> steps{
        {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, RoutingEngine::minhop},
        {4, 9, 5, 2, 0x7F, 0x1F, 0, 0, 2, 0, 127, RoutingEngine::ftree},
        {9, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, RoutingEngine::updn}};
};

Octets PayloadWith(const Rows& rows) {
    FlatBufferBuilder builder;
    const auto topologies = builder.CreateVectorOfStructs(rows.topologies);
    const auto steps = builder.CreateVectorOfStructs(rows.steps);
    schema::OptionFilesBuilder files(builder);
    files.add_topologies(topologies);
    files.add_chain_steps(steps);
    return PayloadOf(builder, files.Finish());
}

/// The option whose rows are refused when they are spoiled like that.
std::string_view Refused(const std::function<void(Rows&)>& spoil) {
    Rows rows;
    spoil(rows);
    return CulpritOf(PayloadWith(rows));
}

TEST(ChainRows, ArriveInSettings) {
    const Octets payload = PayloadWith({});
    const Aligned copy(payload);
    RoomForTables room(OptionRoomBytesFor(payload.size()));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), room.room(), settings).accepted());
    const ManagerTables& tables = settings.manager_tables;
    ASSERT_EQ(tables.topologies.size(), 2U);
    EXPECT_EQ(tables.topologies[1],
              (PortTopology{.id = 7,
                            .line = 6,
                            .switches = kGroupOfTypes | qos_node_type::kAll,
                            .end_ports = kGroupOfTypes | qos_node_type::kRouter}));
    ASSERT_EQ(tables.chain_steps.size(), 3U);
    EXPECT_EQ(tables.chain_steps[1], (ChainStep{.id = 4,
                                                .line = 9,
                                                .scatter_ports = 5,
                                                .max_reverse_hops = 2,
                                                .own = 0x7F,
                                                .values = 0x1F,
                                                .topology = 2,
                                                .fallback_of = 0,
                                                .path_bit = 127,
                                                .engine = EngineKind::kFtree}));
    for (const ChainStep& row : tables.chain_steps) {
        EXPECT_EQ(option_files::CoreRow(option_files::WireRow(row)), row);
    }
}

TEST(ChainRows, TopologiesThatCannotBeAreRefused) {
    constexpr std::string_view kFile = "topo_policy_file";
    using Topology = schema::PortTopology;
    static constexpr std::uint16_t kAll = kGroupOfTypes | qos_node_type::kAll;
    EXPECT_EQ(Refused([](Rows& rows) { rows.topologies[0] = Topology(0, 1, kAll, kAll); }), kFile);
    EXPECT_EQ(Refused([](Rows& rows) { rows.topologies[1] = Topology(3, 1, kAll, kAll); }), kFile);
    EXPECT_EQ(Refused([](Rows& rows) { rows.topologies[1] = Topology(8, 1, 0, kAll); }), kFile)
        << "there is no group in row 0";
    EXPECT_EQ(Refused([](Rows& rows) { rows.topologies[1] = Topology(8, 1, kAll, 0x8000); }),
              kFile);
    EXPECT_EQ(Refused([](Rows& rows) { rows.topologies[1] = Topology(8, 1, kAll, 0x8008); }),
              kFile);
    EXPECT_EQ(Refused([](Rows& rows) {
                  for (std::uint64_t id = 8; rows.topologies.size() <= kMostTopologies; ++id) {
                      rows.topologies.emplace_back(id, 1, kAll, kAll);
                  }
              }),
              kFile);
}

TEST(ChainRows, StepsThatCannotBeAreRefused) {
    constexpr std::string_view kFile = "rch_policy_file";
    using Step = schema::ChainStep;
    const auto with = [](std::size_t row, const Step& step) {
        return Refused([row, &step](Rows& rows) { rows.steps[row] = step; });
    };
    static constexpr auto kUpDn = RoutingEngine::updn;
    EXPECT_EQ(with(0, Step(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, kUpDn)), kFile) << "id 0";
    EXPECT_EQ(with(1, Step(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, kUpDn)), kFile) << "an id twice";
    EXPECT_EQ(with(0, Step(1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, kUpDn)), kFile)
        << "the first in a part";
    EXPECT_EQ(with(0, Step(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, kUpDn)), kFile)
        << "and with a path-bit";
    EXPECT_EQ(with(2, Step(9, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, kUpDn)), kFile) << "so its fallback";
    EXPECT_EQ(with(1, Step(4, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, kUpDn)), kFile) << "no such topology";
    EXPECT_EQ(with(1, Step(4, 1, 0, 0, 0x200, 0, 0, 0, 1, 0, 0, kUpDn)), kFile) << "no such option";
    EXPECT_EQ(with(1, Step(4, 1, 0, 0, 1, 2, 0, 0, 1, 0, 0, kUpDn)), kFile)
        << "a value of no option";
    EXPECT_EQ(with(1, Step(4, 1, 0, 0, 0, 0, 0, 0, 1, 0, 128, kUpDn)), kFile) << "no such LID";
    EXPECT_EQ(with(2, Step(9, 1, 0, 0, 0, 0, 0, 0, 1, 4, 0, kUpDn)), kFile) << "no such step";
    EXPECT_EQ(with(2, Step(9, 1, 0, 0, 0, 0, 0, 0, 1, 3, 0, kUpDn)), kFile)
        << "a fallback to itself";
    for (const RoutingEngine engine :
         {RoutingEngine::none, RoutingEngine::chain, RoutingEngine::file,
          RoutingEngine::no_fallback, static_cast<RoutingEngine>(99)}) {
        EXPECT_EQ(with(1, Step(4, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, engine)), kFile) << int(engine);
    }
    EXPECT_EQ(Refused([](Rows& rows) {
                  for (std::uint64_t id = 10; rows.steps.size() <= kMostChainSteps; ++id) {
                      rows.steps.emplace_back(id, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, kUpDn);
                  }
              }),
              kFile);
    EXPECT_EQ(Refused([](Rows& rows) {
                  rows.steps = {Step(1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, kUpDn),
                                Step(2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, kUpDn)};
              }),
              kFile)
        << "none is no fallback";
}

/// Option files of one step, beside a chain whose last step has them.
Octets PayloadWithFiles(
    std::uint8_t row,
    const std::function<void(FlatBufferBuilder&,
                             std::vector<flatbuffers::Offset<schema::OptionFiles>>&)>& add) {
    FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<schema::OptionFiles>> files;
    add(builder, files);
    const auto of_steps = builder.CreateVector(files);
    const std::vector<schema::ChainStep> rows{
        {1, 1, 0, 0, 0, 0, step_file::kRoots, row, 0, 0, 0, RoutingEngine::minhop}};
    const auto steps = builder.CreateVectorOfStructs(rows);
    schema::OptionFilesBuilder main(builder);
    main.add_chain_steps(steps);
    const auto option_files = main.Finish();
    const auto settings = schema::CreateSettings(builder);
    schema::FinishConfigurationBuffer(
        builder,
        schema::CreateConfiguration(builder, kSchemaVersion, settings, option_files, of_steps));
    const auto octets = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {octets.begin(), octets.end()};
}

TEST(ChainRows, FilesOfStepsAreCheckedLikeAnyOther) {
    using Files = std::vector<flatbuffers::Offset<schema::OptionFiles>>;
    const auto with_roots = [](const std::vector<std::uint64_t>& roots) {
        return [roots](FlatBufferBuilder& builder, Files& files) {
            const auto vector = builder.CreateVector(roots);
            schema::OptionFilesBuilder of_step(builder);
            of_step.add_roots(vector);
            files.push_back(of_step.Finish());
        };
    };
    const Octets good = PayloadWithFiles(1, with_roots({3, 7}));
    EXPECT_EQ(CulpritOf(good), "");
    const Aligned copy(good);
    RoomForTables room(OptionRoomBytesFor(good.size()));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), room.room(), settings).accepted());
    ASSERT_EQ(settings.manager_tables.step_tables.size(), 1U);
    EXPECT_EQ(settings.manager_tables.step_tables[0].roots.size(), 2U);
    EXPECT_TRUE(settings.manager_tables.step_tables[0].has_roots);
    EXPECT_EQ(CulpritOf(PayloadWithFiles(1, with_roots({7, 3}))), "root_guid_file");
    EXPECT_EQ(CulpritOf(PayloadWithFiles(2, with_roots({3}))), "rch_policy_file") << "no such row";
    const auto with_edges = [](FlatBufferBuilder& builder, Files& files) {
        const std::vector<schema::SwitchPort> ports{{5, 1}};
        const auto vector = builder.CreateVectorOfStructs(ports);
        schema::OptionFilesBuilder of_step(builder);
        of_step.add_edge_ports(vector);
        files.push_back(of_step.Finish());
    };
    EXPECT_EQ(CulpritOf(PayloadWithFiles(1, with_edges)), "rch_policy_file") << "not of routes";
    const auto with_many = [](FlatBufferBuilder& builder, Files& files) {
        for (std::size_t i = 0; i <= kMostChainSteps; ++i) {
            files.push_back(schema::OptionFilesBuilder(builder).Finish());
        }
    };
    EXPECT_EQ(CulpritOf(PayloadWithFiles(1, with_many)), "rch_policy_file");
}

}  // namespace
}  // namespace ember::test
