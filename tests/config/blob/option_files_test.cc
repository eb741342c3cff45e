// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the tables of option files: somebody with the key may have made them badly.
#include "config/blob/option_files.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/emberc/option_files/contents_writer.h"
#include "tests/config/blob/rows_of_blob.h"

namespace ember::test {
namespace {

using emberc::OptionContents;
using flatbuffers::FlatBufferBuilder;
using Files = flatbuffers::Offset<schema::OptionFiles>;

PayloadReport Read(const Octets& payload, Settings& settings, OptionRoom room = SharedRoom()) {
    const Aligned copy(payload);
    return ReadPayload(copy.octets(), room, settings);
}

/// Contents that emberc itself would not write.
std::string_view Culprit(const OptionContents& contents) {
    FlatBufferBuilder builder;
    const Files files = emberc::WriteContents(builder, contents);
    return CulpritOf(PayloadOf(builder, files));
}

/// Tables made by hand: counts that do not fit what they count.
std::string_view CulpritOfRows(const std::function<Files(FlatBufferBuilder&)>& make) {
    FlatBufferBuilder builder;
    const Files files = make(builder);
    return CulpritOf(PayloadOf(builder, files));
}

TEST(OptionFiles, ArriveInSettings) {
    OptionContents contents;
    contents.roots = {Guid{1}, Guid{2}};
    contents.compute_nodes.emplace();
    contents.search = {{.guid = Guid{5}, .ports = {PortNumber{3}}},
                       {.guid = Guid{6}, .ports = {PortNumber{2}, PortNumber{1}}}};
    contents.matrix = {.switches = {{.guid = Guid{7}, .port_count = 1, .hops = {1, 2, 3, 4}},
                                    {.guid = Guid{8}, .port_count = 2, .hops = {5, 6, 7}}},
                       .owners = {{.lid = Lid{4}, .port_guid = Guid{9}}}};
    FlatBufferBuilder builder;
    const Files files = emberc::WriteContents(builder, contents);
    Settings settings;
    ASSERT_TRUE(Read(PayloadOf(builder, files), settings).accepted());

    const EngineTables& tables = settings.tables;
    EXPECT_TRUE(tables.has_roots);
    EXPECT_EQ(tables.roots.size(), 2U);
    EXPECT_TRUE(tables.has_compute_nodes) << "a file that says nothing is a file";
    EXPECT_TRUE(tables.compute_nodes.empty());
    EXPECT_FALSE(tables.has_io_nodes);
    EXPECT_FALSE(tables.has_lfts);
    ASSERT_EQ(tables.search.size(), 2U);
    EXPECT_EQ(tables.search[1], (PortOrder{.guid = Guid{6}, .first = 1, .count = 2}));
    EXPECT_EQ(tables.search_ports[1], PortNumber{2});
    ASSERT_EQ(tables.matrix.size(), 2U);
    EXPECT_EQ(tables.matrix[0].lids, 2U);
    EXPECT_EQ(tables.matrix[1].first, 4U);
    EXPECT_EQ(tables.matrix_hops[tables.matrix[1].first], 5);
    EXPECT_EQ(tables.matrix_owners[0], (LidOwner{.lid = Lid{4}, .port_guid = Guid{9}}));
}

TEST(OptionFiles, MustAscend) {
    EXPECT_EQ(Culprit({.roots = {{Guid{2}, Guid{1}}}}), "root_guid_file");
    EXPECT_EQ(Culprit({.roots = {{Guid{1}, Guid{1}}}}), "root_guid_file");
    EXPECT_EQ(Culprit({.roots = {{Guid{0}}}}), "root_guid_file");
    EXPECT_EQ(Culprit({.ids = {{{Guid{2}, 1}, {Guid{2}, 2}}}}), "ids_guid_file");
    EXPECT_EQ(Culprit({.compute_nodes = {{Guid{2}, Guid{1}}}}), "cn_guid_file");
    EXPECT_EQ(Culprit({.io_nodes = {{Guid{2}, Guid{1}}}}), "io_guid_file");
    EXPECT_EQ(Culprit({.routing_order = {{Guid{2}, Guid{1}}}}), "") << "this one is a list";
    EXPECT_EQ(Culprit({.routing_order = {{Guid{2}, Guid{0}}}}), "guid_routing_order_file");
}

TEST(OptionFiles, ListNoMoreGuidsThanASubnetHas) {
    std::vector<Guid> guids;
    for (std::uint64_t guid = 1; guid <= kMostListedGuids; ++guid) {
        guids.push_back(Guid{guid});
    }
    EXPECT_EQ(Culprit({.roots = guids}), "");
    EXPECT_EQ(Culprit({.routing_order = guids}), "");
    guids.push_back(Guid{0xFFFF});
    EXPECT_EQ(Culprit({.roots = guids}), "root_guid_file");
    EXPECT_EQ(Culprit({.compute_nodes = guids}), "cn_guid_file");
    EXPECT_EQ(Culprit({.io_nodes = guids}), "io_guid_file");
    EXPECT_EQ(Culprit({.routing_order = guids}), "guid_routing_order_file");
}

TEST(OptionFiles, CarryTheNamesOfNodes) {
    const std::vector<emberc::NamedNode> names{{Guid{1}, "spine"}, {Guid{7}, "leaf 2"}};
    FlatBufferBuilder builder;
    const Files files = emberc::WriteContents(builder, {.node_names = names});
    const Octets payload = PayloadOf(builder, files);
    Settings settings;
    EXPECT_TRUE(Read(payload, settings).accepted());
    ASSERT_EQ(settings.manager_tables.node_names.size(), 2U);
    const auto back = emberc::ReadContents(payload);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->node_names, names);
    EXPECT_EQ(Culprit({.node_names = {{{Guid{7}, "a"}, {Guid{1}, "b"}}}}), "node_name_map_name");
    EXPECT_EQ(Culprit({.node_names = {{{Guid{1}, "a"}, {Guid{1}, "b"}}}}), "node_name_map_name");
    EXPECT_EQ(Culprit({.node_names = {{{Guid{1}, ""}}}}), "node_name_map_name");
    EXPECT_EQ(Culprit({.node_names = {{{Guid{1}, "a\x1b[2J"}}}}), "node_name_map_name");
    EXPECT_EQ(Culprit({.node_names = {{{Guid{1}, std::string(kMostNameOctets + 1, 'x')}}}}),
              "node_name_map_name");
}

TEST(OptionFiles, RoutePrefixesInTheirOrder) {
    std::vector<PrefixRoute> routes{{.prefix = 5, .router = Guid{6}},
                                    {.prefix = 0, .router = kNoGuid},
                                    {.prefix = 1, .router = Guid{2}}};
    FlatBufferBuilder builder;
    const Files files = emberc::WriteContents(builder, {.prefix_routes = routes});
    const Octets payload = PayloadOf(builder, files);
    Settings settings;
    EXPECT_TRUE(Read(payload, settings).accepted());
    EXPECT_TRUE(std::ranges::equal(settings.manager_tables.prefix_routes, routes));
    const auto back = emberc::ReadContents(payload);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->prefix_routes, routes);
    routes.resize(kMostPrefixRoutes);
    EXPECT_EQ(Culprit({.prefix_routes = routes}), "");
    routes.push_back({});
    EXPECT_EQ(Culprit({.prefix_routes = routes}), "prefix_routes_file");
}

HopWeight Weight(std::uint64_t guid, std::uint8_t port, std::uint8_t hops) {
    return {.guid = Guid{guid}, .port = PortNumber{port}, .hops = hops};
}

TEST(OptionFiles, NameOnlyPortsThatCanBe) {
    EXPECT_EQ(Culprit({.port_lids = {{{Guid{1}, Lid{5}, Lid{5}},
                                      {Guid{2}, Lid{0x80}, Lid{0xFF}},
                                      {Guid{3}, Lid{0xBFFF}, Lid{0xBFFF}}}}}),
              "");
    EXPECT_EQ(Culprit({.port_lids = {{{Guid{1}, Lid{0}, Lid{5}}}}}), "guid2lid_file");
    EXPECT_EQ(Culprit({.port_lids = {{{Guid{1}, Lid{6}, Lid{5}}}}}), "guid2lid_file");
    EXPECT_EQ(Culprit({.port_lids = {{{Guid{1}, Lid{6}, Lid{0xC000}}}}}), "guid2lid_file");
    EXPECT_EQ(Culprit({.port_lids = {{{Guid{1}, Lid{0x80}, Lid{0x100}}}}}), "guid2lid_file");
    EXPECT_EQ(Culprit({.port_lids = {{{Guid{2}, Lid{6}, Lid{6}}, {Guid{2}, Lid{7}, Lid{7}}}}}),
              "guid2lid_file");
    EXPECT_EQ(Culprit({.m_keys = {{{Guid{1}, 0}, {Guid{2}, 7}}}}), "");
    EXPECT_EQ(Culprit({.m_keys = {{{Guid{2}, 1}, {Guid{2}, 7}}}}), "guid2mkey_file");
    EXPECT_EQ(Culprit({.m_keys = {{{Guid{0}, 1}}}}), "guid2mkey_file");
    EXPECT_EQ(Culprit({.neighbors = {{{Guid{1}, PortNumber{1}, Guid{0}}}}}), "");
    EXPECT_EQ(Culprit({.neighbors = {{{Guid{1}, PortNumber{0}, Guid{3}}}}}), "neighbors_file");
    EXPECT_EQ(Culprit({.neighbors = {{{Guid{1}, PortNumber{255}, Guid{3}}}}}), "neighbors_file");
    EXPECT_EQ(Culprit({.hop_weights = {{Weight(1, 1, 1), Weight(1, 254, 255)}}}), "");
    EXPECT_EQ(Culprit({.hop_weights = {{Weight(1, 0, 1)}}}), "hop_weights_file");
    EXPECT_EQ(Culprit({.hop_weights = {{Weight(1, 255, 1)}}}), "hop_weights_file");
    EXPECT_EQ(Culprit({.hop_weights = {{Weight(1, 1, 0)}}}), "hop_weights_file");
    EXPECT_EQ(Culprit({.hop_weights = {{Weight(0, 1, 1)}}}), "hop_weights_file");
    EXPECT_EQ(Culprit({.hop_weights = {{Weight(1, 2, 1), Weight(1, 2, 3)}}}), "hop_weights_file");
    EXPECT_EQ(Culprit({.hop_weights = {{Weight(2, 2, 1), Weight(1, 3, 3)}}}), "hop_weights_file");
    const auto ignored = [](std::uint8_t port) {
        return Culprit({.ignored = {{{Guid{1}, PortNumber{port}}}}});
    };
    const auto edge = [](std::uint8_t port) {
        return Culprit({.edge_ports = {{{Guid{1}, PortNumber{port}}}}});
    };
    EXPECT_EQ(edge(254), "");
    EXPECT_EQ(edge(255), "edge_ports");
    EXPECT_EQ(ignored(254), "");
    EXPECT_EQ(ignored(0), "port_prof_ignore_file");
    EXPECT_EQ(ignored(255), "port_prof_ignore_file");
    const auto search = [](std::vector<PortNumber> ports) {
        return Culprit({.search = {{{.guid = Guid{1}, .ports = std::move(ports)}}}});
    };
    EXPECT_EQ(search({PortNumber{254}, PortNumber{1}}), "");
    EXPECT_EQ(search({PortNumber{1}, PortNumber{2}, PortNumber{1}}), "port_search_ordering_file");
    EXPECT_EQ(search({PortNumber{0}}), "port_search_ordering_file");
    EXPECT_EQ(search({PortNumber{255}}), "port_search_ordering_file");
    EXPECT_EQ(search({}), "port_search_ordering_file");
}

TEST(OptionFiles, CountWhatIsThere) {
    const std::vector<std::uint8_t> octets = {1, 2, 3, 4};
    const auto search = [&octets](std::uint32_t first, std::uint32_t second) {
        return CulpritOfRows([&](FlatBufferBuilder& builder) {
            const std::vector<schema::PortOrder> rows = {{1, first}, {2, second}};
            const auto table = builder.CreateVectorOfStructs(rows);
            const auto ports = builder.CreateVector(octets);
            schema::OptionFilesBuilder files(builder);
            files.add_search(table);
            files.add_search_ports(ports);
            return files.Finish();
        });
    };
    EXPECT_EQ(search(1, 3), "");
    EXPECT_EQ(search(1, 2), "port_search_ordering_file") << "one port is nobody's";
    EXPECT_EQ(search(1, 4), "port_search_ordering_file");
    EXPECT_EQ(search(0xFFFFFFFF, 5), "port_search_ordering_file");
    EXPECT_EQ(search(4, 0xFFFFFFFF), "port_search_ordering_file");

    const auto lfts = [&octets](std::uint32_t first, std::uint32_t second) {
        return CulpritOfRows([&](FlatBufferBuilder& builder) {
            const std::vector<schema::FileTable> rows = {{1, first}, {2, second}};
            const auto table = builder.CreateVectorOfStructs(rows);
            const auto ports = builder.CreateVector(octets);
            schema::OptionFilesBuilder files(builder);
            files.add_lfts(table);
            files.add_lft_ports(ports);
            return files.Finish();
        });
    };
    EXPECT_EQ(lfts(4, 0), "");
    EXPECT_EQ(lfts(3, 0), "lfts_file");
    EXPECT_EQ(lfts(3, 2), "lfts_file");
    EXPECT_EQ(lfts(0xFFFFFFFF, 5), "lfts_file");

    const auto matrix = [&octets](std::uint32_t lids, std::uint8_t port_count) {
        return CulpritOfRows([&](FlatBufferBuilder& builder) {
            const std::vector<schema::FileMatrix> rows = {{1, lids, port_count}};
            const auto table = builder.CreateVectorOfStructs(rows);
            const auto hops = builder.CreateVector(octets);
            schema::OptionFilesBuilder files(builder);
            files.add_matrix(table);
            files.add_matrix_hops(hops);
            return files.Finish();
        });
    };
    EXPECT_EQ(matrix(2, 1), "");
    EXPECT_EQ(matrix(1, 3), "");
    EXPECT_EQ(matrix(4, 0), "lid_matrix_dump_file");
    EXPECT_EQ(matrix(1, 1), "lid_matrix_dump_file");
    EXPECT_EQ(matrix(3, 1), "lid_matrix_dump_file");
    EXPECT_EQ(matrix(0x80000000, 1), "lid_matrix_dump_file") << "a product that wraps around";
    EXPECT_EQ(matrix(0x80000002, 1), "lid_matrix_dump_file");
}

TEST(OptionFiles, HaveOneTorusWithASeed) {
    const schema::TorusShape shape(3, 3, 1, 0, 16);
    const schema::TorusSeed seed(1, 0, 2, 0, 3, 0, 0, 0, 0, 0);
    const auto torus = [](const std::vector<schema::TorusShape>& shapes,
                          const std::vector<schema::TorusSeed>& seeds,
                          const std::vector<std::uint8_t>& ports) {
        return CulpritOfRows([&](FlatBufferBuilder& builder) {
            const auto shape_rows = builder.CreateVectorOfStructs(shapes);
            const auto seed_rows = builder.CreateVectorOfStructs(seeds);
            const auto port_row = builder.CreateVector(ports);
            schema::OptionFilesBuilder files(builder);
            files.add_torus(shape_rows);
            files.add_torus_seeds(seed_rows);
            files.add_torus_ports(port_row);
            return files.Finish();
        });
    };
    EXPECT_EQ(torus({shape}, {seed, seed}, {0, 254}), "");
    EXPECT_EQ(torus({}, {}, {}), "") << "a file that says nothing";
    EXPECT_EQ(torus({shape, shape}, {seed}, {}), "torus_config");
    EXPECT_EQ(torus({shape}, {}, {}), "torus_config");
    EXPECT_EQ(torus({}, {seed}, {}), "torus_config");
    EXPECT_EQ(torus({}, {}, {1}), "torus_config");
    EXPECT_EQ(torus({shape}, {seed}, {1, 1}), "torus_config");
    EXPECT_EQ(torus({shape}, {seed}, {255}), "torus_config");
    EXPECT_EQ(torus({{3, 3, 3, 0, 16}}, {seed}, {}), "torus_config") << "z has no link";
    EXPECT_EQ(torus({{3, 0, 1, 0, 16}}, {seed}, {}), "torus_config");
    EXPECT_EQ(torus({shape}, {seed, {1, 0, 2, 0, 2, 0, 0, 0, 0, 0}}, {}), "torus_config");
}

TEST(OptionFiles, HaveOctetsOnlyForSwitches) {
    const std::vector<std::uint8_t> octets = {1};
    const auto orphan = [&octets](const auto& add) {
        return CulpritOfRows([&](FlatBufferBuilder& builder) {
            const auto vector = builder.CreateVector(octets);
            schema::OptionFilesBuilder files(builder);
            add(files, vector);
            return files.Finish();
        });
    };
    EXPECT_EQ(orphan([](auto& files, auto vector) { files.add_search_ports(vector); }),
              "port_search_ordering_file");
    EXPECT_EQ(orphan([](auto& files, auto vector) { files.add_lft_ports(vector); }), "lfts_file");
    EXPECT_EQ(orphan([](auto& files, auto vector) { files.add_matrix_hops(vector); }),
              "lid_matrix_dump_file");
}

TEST(OptionFiles, HaveSwitchesAndLidsOnce) {
    const auto lfts = [](std::uint64_t first, std::uint64_t second) {
        return Culprit(
            {.lfts = {{.switches = {{Guid{first}, {255, 0}}, {Guid{second}, {}}}, .owners = {}}}});
    };
    EXPECT_EQ(lfts(1, 2), "");
    EXPECT_EQ(lfts(1, 1), "lfts_file");
    EXPECT_EQ(lfts(2, 1), "lfts_file");
    EXPECT_EQ(lfts(0, 1), "lfts_file");
    EXPECT_EQ(Culprit({.matrix = {{.switches = {{Guid{1}, 1, {0, 0}}, {Guid{1}, 1, {0, 0}}},
                                   .owners = {}}}}),
              "lid_matrix_dump_file");
    const auto owner = [](std::uint16_t lid, std::uint64_t guid) {
        return LidOwner{.lid = Lid{lid}, .port_guid = Guid{guid}};
    };
    const auto owners = [](std::vector<LidOwner> all) {
        return Culprit({.lfts = {{.switches = {}, .owners = std::move(all)}}});
    };
    EXPECT_EQ(owners({owner(1, 5), owner(0xBFFF, 5)}), "");
    EXPECT_EQ(owners({owner(1, 5), owner(1, 5)}), "lfts_file");
    EXPECT_EQ(owners({owner(2, 5), owner(1, 5)}), "lfts_file");
    EXPECT_EQ(owners({owner(0, 5)}), "lfts_file");
    EXPECT_EQ(owners({owner(0xC000, 5)}), "lfts_file");
    EXPECT_EQ(owners({owner(1, 0)}), "lfts_file");
    EXPECT_EQ(Culprit({.matrix = {{.switches = {}, .owners = {owner(0xC000, 5)}}}}),
              "lid_matrix_dump_file");
}

TEST(OptionFiles, HaveNoMoreLidsThanThereAre) {
    const auto lfts = [](std::size_t count) {
        const std::vector<std::uint8_t> ports(count, 255);
        return Culprit({.lfts = {{.switches = {{Guid{1}, ports}}, .owners = {}}}});
    };
    EXPECT_EQ(lfts(0xC000), "");
    EXPECT_EQ(lfts(0xC001), "lfts_file");
    const auto matrix = [](std::size_t count) {
        const std::vector<std::uint8_t> hops(2 * count, 255);
        return Culprit({.matrix = {{.switches = {{Guid{1}, 1, hops}}, .owners = {}}}});
    };
    EXPECT_EQ(matrix(0xC000), "");
    EXPECT_EQ(matrix(0xC001), "lid_matrix_dump_file");
}

/// A verifier of FlatBuffers lets a vector of 8-octet elements stand at any multiple of 4.
TEST(OptionFiles, AreMalformedWhereTheyCannotBeRead) {
    int malformed = 0;
    for (const std::size_t padding : {40U, 44U}) {
        FlatBufferBuilder builder;
        (void)builder.CreateVector(std::vector<std::uint64_t>{1});  // Pads the whole to 8.
        (void)builder.CreateVector(std::vector<std::uint8_t>(padding, 1));
        const auto octets = builder.CreateVector(std::vector<std::uint8_t>{1, 0, 0, 0});
        schema::OptionFilesBuilder files(builder);
        files.add_roots(flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>>(octets.o));
        const Octets payload = PayloadOf(builder, files.Finish());
        Settings settings;
        const PayloadReport report = Read(payload, settings);
        if (!report.well_formed) ++malformed;
        EXPECT_FALSE(report.accepted());
    }
    EXPECT_EQ(malformed, 1) << "one of the two stands at a multiple of 8";
}

TEST(OptionFiles, AreRefusedWhenTheyDoNotFitInTheRoomAndTellHowMuchTheyNeed) {
    OptionContents contents;
    contents.roots.emplace();
    for (std::uint64_t guid = 1; guid <= 100; ++guid) {
        contents.roots->push_back(Guid{guid});
    }
    const Octets blob = emberc::PutTogether(
        emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents), 1, &TrustedKey());
    const Aligned copy(blob);
    Settings settings;
    RoomForTables small(64);
    const BlobReport refused =
        ReadBlob(copy.octets(), TrustedKey().public_key(), 0, small.room(), settings);
    EXPECT_EQ(refused.verdict, BlobVerdict::kTooLarge);
    EXPECT_EQ(refused.room_bytes, 832U) << "100 GUIDs, in grains of 64 octets";
    EXPECT_EQ(settings, Settings{});

    RoomForTables exact(refused.room_bytes);
    EXPECT_TRUE(
        ReadBlob(copy.octets(), TrustedKey().public_key(), 0, exact.room(), settings).accepted());
    EXPECT_EQ(settings.tables.roots.size(), 100U);
    EXPECT_LE(refused.room_bytes, OptionRoomBytesFor(blob.size()));
}

TEST(OptionFiles, StayWhenTheBlobIsForgotten) {
    Octets blob = emberc::PutTogether(
        emberc::WritePayload(ValuesOf(emberc::DefaultConf()), {.roots = {{Guid{0x1234}}}}), 1,
        &TrustedKey());
    RoomForTables room(OptionRoomBytesFor(blob.size()));
    Settings settings;
    {
        const Aligned copy(blob);
        ASSERT_TRUE(ReadBlob(copy.octets(), TrustedKey().public_key(), 0, room.room(), settings)
                        .accepted());
    }
    ASSERT_EQ(settings.tables.roots.size(), 1U);
    EXPECT_EQ(settings.tables.roots[0], Guid{0x1234});
}

TEST(OptionFilesDeathTest, NeedARoomThatIsAligned) {
    RoomForTables room(4096);
    const OptionRoom shifted{room.room().octets.subspan(8)};
    const Octets payload =
        emberc::WritePayload(ValuesOf(emberc::DefaultConf()), {.roots = {{Guid{1}}}});
    Settings settings;
    EXPECT_DEATH((void)Read(payload, settings, shifted), "");
}

}  // namespace
}  // namespace ember::test
