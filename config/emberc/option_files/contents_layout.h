// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, laid out as the core has it, and back.
#pragma once

#include <cstdint>
#include <vector>

#include "config/emberc/option_files/contents.h"

namespace ember::emberc {

/// Rows that own elements, and the elements, for the files whose contents are nested. `tables` has
/// views of them, and of the contents of the other files.
struct Layout {
    OptionTables tables;
    std::vector<PortOrder> search;
    std::vector<PortNumber> search_ports;
    std::vector<FileTable> lfts;
    std::vector<std::uint8_t> lft_ports;
    std::vector<FileMatrix> matrix;
    std::vector<std::uint8_t> matrix_hops;
    std::vector<NodeName> node_names;
    std::vector<std::uint8_t> name_octets;
    std::vector<PartitionRow> partitions;
    std::vector<std::uint8_t> partition_names;
    std::vector<QosLevel> qos_levels;
    std::vector<QosRange> qos_level_ranges;
    std::vector<QosGroup> qos_groups;
    std::vector<QosRange> qos_group_ranges;
    std::vector<QosPortName> qos_port_names;
    std::vector<std::uint8_t> qos_port_name_octets;
    std::vector<QosRule> qos_rules;
    std::vector<QosRange> qos_rule_ranges;
    std::vector<std::uint32_t> qos_rule_lines;
    std::vector<std::uint8_t> qos_names;
    std::vector<TorusShape> torus;
    std::vector<BandwidthSet> bandwidth_sets;
    std::vector<BandwidthRule> bandwidth_rules;
    std::vector<BandwidthGroupRule> bandwidth_groups;
    std::vector<BandwidthRule> bandwidth_virtual_rules;
    std::vector<PortGroup> port_groups;
    std::vector<PortGroupRule> port_group_rules;
    std::vector<PortGroupHost> port_group_hosts;
    std::vector<std::uint8_t> port_group_host_octets;
    std::vector<NamePattern> name_patterns;
    std::vector<std::uint16_t> name_pattern_cells;
    std::vector<std::uint8_t> name_pattern_classes;
    std::vector<std::uint8_t> port_group_names;
    std::vector<PortTopology> topologies;
    std::vector<ChainStep> chain_steps;
};

// The contents stay where they are as long as the layout is used.
void LayOut(const std::vector<SearchOrder>& orders, Layout& to);
void LayOut(const LoadedLfts& lfts, Layout& to);
void LayOut(const LoadedMatrix& matrix, Layout& to);
void LayOut(const std::vector<NamedNode>& names, Layout& to);
void LayOut(const PartitionConf& conf, Layout& to);
void LayOut(const LoadedQosPolicy& policy, Layout& to);
void LayOut(const LoadedTorus& torus, Layout& to);
void LayOut(const LoadedBandwidths& loaded, Layout& to);
void LayOut(const LoadedPortGroups& loaded, Layout& to);
void LayOut(const LoadedTopologies& loaded, Layout& to);
void LayOut(const LoadedChain& loaded, Layout& to);

// The way back, from tables that CheckOptionFiles() found good.
void Gather(const OptionTables& tables, std::vector<SearchOrder>& orders);
void Gather(const OptionTables& tables, LoadedLfts& lfts);
void Gather(const OptionTables& tables, LoadedMatrix& matrix);
void Gather(const OptionTables& tables, std::vector<NamedNode>& names);
void Gather(const OptionTables& tables, PartitionConf& conf);
void Gather(const OptionTables& tables, LoadedQosPolicy& policy);
void Gather(const OptionTables& tables, LoadedTorus& torus);
void Gather(const OptionTables& tables, LoadedBandwidths& loaded);
void Gather(const OptionTables& tables, LoadedPortGroups& loaded);
void Gather(const OptionTables& tables, LoadedTopologies& loaded);
void Gather(const OptionTables& tables, LoadedChain& loaded);

/// Reports what a blob has no room for.
void CheckRoom(const LoadedBandwidths& loaded, Diagnostics& diagnostics);

}  // namespace ember::emberc
