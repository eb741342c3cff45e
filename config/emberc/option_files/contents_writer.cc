// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, into FlatBuffers, and back for people to look at.
#include "config/emberc/option_files/contents_writer.h"

#include <algorithm>
#include <array>

#include "config/blob/option_files.h"
#include "config/schema/settings_generated.h"

namespace ember::emberc {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
template <typename Element>
using VectorOf = Offset<flatbuffers::Vector<Element>>;
template <typename Struct>
using StructsOf = Offset<flatbuffers::Vector<const Struct*>>;

VectorOf<std::uint64_t> WriteGuids(FlatBufferBuilder& builder,
                                   const std::optional<std::vector<Guid>>& guids) {
    if (!guids) return 0;
    std::vector<std::uint64_t> numbers;
    for (const Guid guid : *guids) {
        numbers.push_back(Raw(guid));
    }
    return builder.CreateVector(numbers);
}

/// A struct of the schema for each entry, as `make` makes it.
template <typename Struct, typename Entry, typename Make>
StructsOf<Struct> WriteStructs(FlatBufferBuilder& builder,
                               const std::vector<Entry>& entries,
                               const Make& make) {
    std::vector<Struct> structs;
    structs.reserve(entries.size());
    std::transform(entries.begin(), entries.end(), std::back_inserter(structs), make);
    return builder.CreateVectorOfStructs(structs);
}

StructsOf<schema::LidOwner> WriteOwners(FlatBufferBuilder& builder,
                                        const std::vector<LidOwner>& owners) {
    return WriteStructs<schema::LidOwner>(builder, owners, [](const LidOwner& owner) {
        return schema::LidOwner(Raw(owner.port_guid), Raw(owner.lid));
    });
}

/// The octets of all switches, one after the other.
template <typename Switch>
VectorOf<std::uint8_t> WriteOctets(FlatBufferBuilder& builder,
                                   const std::vector<Switch>& switches,
                                   std::vector<std::uint8_t> Switch::*octets) {
    std::size_t size = 0;
    for (const Switch& one : switches) {
        size += (one.*octets).size();
    }
    std::uint8_t* place = nullptr;
    const VectorOf<std::uint8_t> vector =
        builder.CreateUninitializedVector<std::uint8_t>(size, &place);
    for (const Switch& one : switches) {
        place = std::copy((one.*octets).begin(), (one.*octets).end(), place);
    }
    return vector;
}

/// Everything is written before the table that points to it.
struct Written {
    VectorOf<std::uint64_t> roots, compute_nodes, io_nodes, routing_order;
    StructsOf<schema::GuidNumber> ids;
    StructsOf<schema::HopWeight> hop_weights;
    StructsOf<schema::SwitchPort> ignored, edge_ports;
    StructsOf<schema::PortOrder> search;
    VectorOf<std::uint8_t> search_ports, lft_ports, matrix_hops, registrations, name_octets;
    StructsOf<schema::NodeName> node_names;
    StructsOf<schema::FileTable> lfts;
    StructsOf<schema::FileMatrix> matrix;
    StructsOf<schema::LidOwner> lft_owners, matrix_owners;
    StructsOf<schema::PrefixRoute> prefix_routes;
};

void WriteLists(FlatBufferBuilder& builder, const OptionContents& contents, Written& written) {
    written.roots = WriteGuids(builder, contents.roots);
    written.compute_nodes = WriteGuids(builder, contents.compute_nodes);
    written.io_nodes = WriteGuids(builder, contents.io_nodes);
    written.routing_order = WriteGuids(builder, contents.routing_order);
    if (contents.ids) {
        written.ids = WriteStructs<schema::GuidNumber>(
            builder, *contents.ids,
            [](const GuidNumber& row) { return schema::GuidNumber(Raw(row.guid), row.number); });
    }
    if (contents.hop_weights) {
        written.hop_weights = WriteStructs<schema::HopWeight>(
            builder, *contents.hop_weights, [](const HopWeight& row) {
                return schema::HopWeight(Raw(row.guid), Raw(row.port), row.hops);
            });
    }
    const auto port_of = [](const SwitchPort& row) {
        return schema::SwitchPort(Raw(row.guid), Raw(row.port));
    };
    if (contents.ignored) {
        written.ignored = WriteStructs<schema::SwitchPort>(builder, *contents.ignored, port_of);
    }
    if (contents.edge_ports) {
        written.edge_ports =
            WriteStructs<schema::SwitchPort>(builder, *contents.edge_ports, port_of);
    }
    if (contents.prefix_routes) {
        written.prefix_routes = WriteStructs<schema::PrefixRoute>(
            builder, *contents.prefix_routes, [](const PrefixRoute& row) {
                return schema::PrefixRoute(row.prefix, Raw(row.router));
            });
    }
    if (contents.registrations) {
        std::vector<std::uint8_t> octets;
        std::transform(contents.registrations->begin(), contents.registrations->end(),
                       std::back_inserter(octets),
                       [](std::byte octet) { return std::to_integer<std::uint8_t>(octet); });
        written.registrations = builder.CreateVector(octets);
    }
}

void WriteNames(FlatBufferBuilder& builder, const std::vector<NamedNode>& names, Written& written) {
    std::vector<std::uint8_t> octets;
    for (const NamedNode& node : names) {
        octets.insert(octets.end(), node.name.begin(), node.name.end());
    }
    written.name_octets = builder.CreateVector(octets);
    written.node_names = WriteStructs<schema::NodeName>(builder, names, [](const NamedNode& node) {
        return schema::NodeName(Raw(node.guid), static_cast<std::uint8_t>(node.name.size()));
    });
}

void WriteSearch(FlatBufferBuilder& builder,
                 const std::vector<SearchOrder>& orders,
                 Written& written) {
    std::vector<std::uint8_t> ports;
    for (const SearchOrder& order : orders) {
        std::transform(order.ports.begin(), order.ports.end(), std::back_inserter(ports),
                       [](PortNumber port) { return Raw(port); });
    }
    written.search = WriteStructs<schema::PortOrder>(builder, orders, [](const SearchOrder& order) {
        return schema::PortOrder(Raw(order.guid), static_cast<std::uint32_t>(order.ports.size()));
    });
    written.search_ports = builder.CreateVector(ports);
}

void WriteDumps(FlatBufferBuilder& builder, const OptionContents& contents, Written& written) {
    if (contents.lfts) {
        const auto& switches = contents.lfts->switches;
        written.lfts =
            WriteStructs<schema::FileTable>(builder, switches, [](const LoadedLfts::Switch& one) {
                return schema::FileTable(Raw(one.guid),
                                         static_cast<std::uint32_t>(one.ports.size()));
            });
        written.lft_ports = WriteOctets(builder, switches, &LoadedLfts::Switch::ports);
        written.lft_owners = WriteOwners(builder, contents.lfts->owners);
    }
    if (contents.matrix) {
        const auto& switches = contents.matrix->switches;
        written.matrix = WriteStructs<schema::FileMatrix>(
            builder, switches, [](const LoadedMatrix::Switch& one) {
                const std::size_t lids = one.hops.size() / (one.port_count + 1U);
                return schema::FileMatrix(Raw(one.guid), static_cast<std::uint32_t>(lids),
                                          one.port_count);
            });
        written.matrix_hops = WriteOctets(builder, switches, &LoadedMatrix::Switch::hops);
        written.matrix_owners = WriteOwners(builder, contents.matrix->owners);
    }
}

/// Memory that begins at a multiple of Arena::kGrain.
struct alignas(64) Grain {
    std::array<std::byte, 64> octets;
};

template <typename Element>
std::vector<Element> ListOf(std::span<const Element> view) {
    return {view.begin(), view.end()};
}

template <typename To, typename Element>
std::optional<To> If(bool there, std::span<const Element> view) {
    return there ? std::optional<To>(To{view.begin(), view.end()}) : std::nullopt;
}

std::vector<SearchOrder> SearchOf(const OptionTables& tables) {
    std::vector<SearchOrder> orders;
    for (const PortOrder& order : tables.search) {
        orders.push_back({.guid = order.guid,
                          .ports = ListOf(tables.search_ports.subspan(order.first, order.count))});
    }
    return orders;
}

LoadedLfts LftsOf(const OptionTables& tables) {
    LoadedLfts lfts;
    for (const FileTable& table : tables.lfts) {
        lfts.switches.push_back(
            {.guid = table.guid,
             .ports = ListOf(tables.lft_ports.subspan(table.first, table.count))});
    }
    lfts.owners = ListOf(tables.lft_owners);
    return lfts;
}

LoadedMatrix MatrixOf(const OptionTables& tables) {
    LoadedMatrix matrix;
    for (const FileMatrix& table : tables.matrix) {
        const std::size_t octets = table.lids * (table.port_count + 1U);
        matrix.switches.push_back(
            {.guid = table.guid,
             .port_count = table.port_count,
             .hops = ListOf(tables.matrix_hops.subspan(table.first, octets))});
    }
    matrix.owners = ListOf(tables.matrix_owners);
    return matrix;
}

std::vector<NamedNode> NamesOf(const OptionTables& tables) {
    std::vector<NamedNode> names;
    for (const NodeName& node : tables.node_names) {
        const auto octets = tables.name_octets.subspan(node.first, node.octets);
        names.push_back({.guid = node.guid, .name = {octets.begin(), octets.end()}});
    }
    return names;
}

}  // namespace

Offset<schema::OptionFiles> WriteContents(FlatBufferBuilder& builder,
                                          const OptionContents& contents) {
    if (contents == OptionContents{}) return 0;
    Written written;
    WriteLists(builder, contents, written);
    if (contents.search) WriteSearch(builder, *contents.search, written);
    if (contents.node_names) WriteNames(builder, *contents.node_names, written);
    WriteDumps(builder, contents, written);
    return schema::CreateOptionFiles(
        builder, written.roots, written.ids, written.compute_nodes, written.io_nodes,
        written.routing_order, written.hop_weights, written.ignored, written.search,
        written.search_ports, written.lfts, written.lft_ports, written.lft_owners, written.matrix,
        written.matrix_hops, written.matrix_owners, written.prefix_routes, written.registrations,
        written.node_names, written.name_octets, written.edge_ports);
}

std::optional<OptionContents> ReadContents(std::span<const std::byte> payload) {
    std::vector<std::uint64_t> words(payload.size() / 8 + 1);  // Aligned as FlatBuffers asks.
    std::copy(payload.begin(), payload.end(), std::as_writable_bytes(std::span(words)).begin());
    const auto* const octets = static_cast<const std::uint8_t*>(static_cast<void*>(words.data()));
    if (payload.size() < 8 || !schema::ConfigurationBufferHasIdentifier(octets)) {
        return std::nullopt;
    }
    flatbuffers::Verifier verifier(octets, payload.size());
    if (!schema::VerifyConfigurationBuffer(verifier)) return std::nullopt;
    const schema::OptionFiles* const files = schema::GetConfiguration(octets)->option_files();
    const OptionFilesReport report = CheckOptionFiles(files);
    if (!report.well_formed || !report.out_of_range.empty()) return std::nullopt;
    OptionContents contents;
    if (files == nullptr) return contents;

    std::vector<Grain> room(report.room_bytes / sizeof(Grain) + 1);
    const OptionTables tables = CopyOptionFiles(files, {std::as_writable_bytes(std::span(room))});
    contents.roots = If<std::vector<Guid>>(tables.has_roots, tables.roots);
    contents.ids = If<std::vector<GuidNumber>>(files->ids() != nullptr, tables.ids);
    contents.compute_nodes = If<std::vector<Guid>>(tables.has_compute_nodes, tables.compute_nodes);
    contents.io_nodes = If<std::vector<Guid>>(tables.has_io_nodes, tables.io_nodes);
    contents.routing_order =
        If<std::vector<Guid>>(files->routing_order() != nullptr, tables.routing_order);
    contents.hop_weights =
        If<std::vector<HopWeight>>(files->hop_weights() != nullptr, tables.hop_weights);
    contents.ignored = If<std::vector<SwitchPort>>(files->ignored() != nullptr, tables.ignored);
    contents.edge_ports =
        If<std::vector<SwitchPort>>(files->edge_ports() != nullptr, tables.edge_ports);
    if (files->search() != nullptr) contents.search = SearchOf(tables);
    if (tables.has_lfts) contents.lfts = LftsOf(tables);
    if (tables.has_matrix) contents.matrix = MatrixOf(tables);
    contents.prefix_routes =
        If<std::vector<PrefixRoute>>(files->prefix_routes() != nullptr, tables.prefix_routes);
    contents.registrations =
        If<std::vector<std::byte>>(files->registrations() != nullptr, tables.registrations);
    if (files->node_names() != nullptr) contents.node_names = NamesOf(tables);
    return contents;
}

}  // namespace ember::emberc
