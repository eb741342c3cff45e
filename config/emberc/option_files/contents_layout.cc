// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, laid out as the core has it, and back.
#include "config/emberc/option_files/contents_layout.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace ember::emberc {
namespace {

/// Elements of one row behind those of the rows before it.
template <typename Element, typename Elements>
std::uint32_t Append(const Elements& from, std::vector<Element>& to) {
    const std::size_t first = to.size();
    std::transform(from.begin(), from.end(), std::back_inserter(to),
                   [](auto element) { return static_cast<Element>(element); });
    return static_cast<std::uint32_t>(first);
}

template <typename Row, typename Element>
std::span<const Element> OwnedBy(const Row& row, std::span<const Element> elements) {
    return elements.subspan(row.first, option_files::Elements(row));
}

template <typename To, typename Element>
To As(std::span<const Element> view) {
    return To(view.begin(), view.end());
}

}  // namespace

void LayOut(const std::vector<SearchOrder>& orders, Layout& to) {
    for (const SearchOrder& order : orders) {
        const std::uint32_t first = Append(order.ports, to.search_ports);
        to.search.push_back({.guid = order.guid,
                             .first = first,
                             .count = static_cast<std::uint32_t>(order.ports.size())});
    }
    to.tables.search = to.search;
    to.tables.search_ports = to.search_ports;
}

void LayOut(const LoadedLfts& lfts, Layout& to) {
    for (const LoadedLfts::Switch& one : lfts.switches) {
        const std::uint32_t first = Append(one.ports, to.lft_ports);
        to.lfts.push_back({.guid = one.guid,
                           .first = first,
                           .count = static_cast<std::uint32_t>(one.ports.size())});
    }
    to.tables.lfts = to.lfts;
    to.tables.lft_ports = to.lft_ports;
    to.tables.lft_owners = lfts.owners;
}

void LayOut(const LoadedMatrix& matrix, Layout& to) {
    for (const LoadedMatrix::Switch& one : matrix.switches) {
        const std::size_t lids = one.hops.size() / (one.port_count + 1U);
        const std::uint32_t first = Append(one.hops, to.matrix_hops);
        to.matrix.push_back({.guid = one.guid,
                             .first = first,
                             .lids = static_cast<std::uint32_t>(lids),
                             .port_count = one.port_count});
    }
    to.tables.matrix = to.matrix;
    to.tables.matrix_hops = to.matrix_hops;
    to.tables.matrix_owners = matrix.owners;
}

void LayOut(const std::vector<NamedNode>& names, Layout& to) {
    for (const NamedNode& node : names) {
        const std::uint32_t first = Append(node.name, to.name_octets);
        to.node_names.push_back({.guid = node.guid,
                                 .first = first,
                                 .octets = static_cast<std::uint32_t>(node.name.size())});
    }
    to.tables.node_names = to.node_names;
    to.tables.name_octets = to.name_octets;
}

void LayOut(const PartitionConf& conf, Layout& to) {
    for (const PartitionConf::Partition& partition : conf.partitions) {
        const std::uint32_t first = Append(partition.name, to.partition_names);
        to.partitions.push_back({.line = partition.line,
                                 .first = first,
                                 .p_key = partition.p_key,
                                 .octets = static_cast<std::uint8_t>(partition.name.size()),
                                 .sl = static_cast<std::uint8_t>(partition.sl & 0xFU),
                                 .is_ip = partition.is_ip});
    }
    to.tables.partitions = to.partitions;
    to.tables.partition_names = to.partition_names;
    to.tables.partition_ports = conf.ports;
    to.tables.partition_classes = conf.classes;
    to.tables.partition_groups = conf.groups;
}

void LayOut(const LoadedTorus& torus, Layout& to) {
    if (torus.shape.places() == 0) return;
    to.torus.push_back(torus.shape);
    to.tables.torus = to.torus;
    to.tables.torus_seeds = torus.seeds;
    to.tables.torus_ports = torus.port_order;
}

void Gather(const OptionTables& tables, std::vector<SearchOrder>& orders) {
    for (const PortOrder& order : tables.search) {
        orders.push_back(
            {.guid = order.guid,
             .ports = As<std::vector<PortNumber>>(OwnedBy(order, tables.search_ports))});
    }
}

void Gather(const OptionTables& tables, LoadedLfts& lfts) {
    for (const FileTable& table : tables.lfts) {
        lfts.switches.push_back(
            {.guid = table.guid,
             .ports = As<std::vector<std::uint8_t>>(OwnedBy(table, tables.lft_ports))});
    }
    lfts.owners = As<std::vector<LidOwner>>(tables.lft_owners);
}

void Gather(const OptionTables& tables, LoadedMatrix& matrix) {
    for (const FileMatrix& table : tables.matrix) {
        matrix.switches.push_back(
            {.guid = table.guid,
             .port_count = table.port_count,
             .hops = As<std::vector<std::uint8_t>>(OwnedBy(table, tables.matrix_hops))});
    }
    matrix.owners = As<std::vector<LidOwner>>(tables.matrix_owners);
}

void Gather(const OptionTables& tables, std::vector<NamedNode>& names) {
    for (const NodeName& node : tables.node_names) {
        names.push_back(
            {.guid = node.guid, .name = As<std::string>(OwnedBy(node, tables.name_octets))});
    }
}

void Gather(const OptionTables& tables, PartitionConf& conf) {
    for (const PartitionRow& row : tables.partitions) {
        conf.partitions.push_back({.p_key = row.p_key,
                                   .name = As<std::string>(OwnedBy(row, tables.partition_names)),
                                   .line = row.line,
                                   .sl = row.sl,
                                   .is_ip = row.is_ip});
    }
    conf.ports = As<std::vector<PartitionMember>>(tables.partition_ports);
    conf.classes = As<std::vector<PartitionClass>>(tables.partition_classes);
    conf.groups = As<std::vector<PartitionGroup>>(tables.partition_groups);
}

void Gather(const OptionTables& tables, LoadedTorus& torus) {
    if (tables.torus.empty()) return;
    torus.shape = tables.torus.front();
    torus.seeds = As<std::vector<TorusSeed>>(tables.torus_seeds);
    torus.port_order = As<std::vector<PortNumber>>(tables.torus_ports);
}

}  // namespace ember::emberc
