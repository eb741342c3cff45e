// SPDX-License-Identifier: Apache-2.0
// EmberSM: the simulated hardware: how it is built and what its tables hold.
#include "platform/sim/world.h"

#include <algorithm>
#include <cstring>

#include "config/netlist/random.h"
#include "platform/sim/sim_bandwidth.h"

namespace ember::sim {
namespace {

constexpr std::size_t kPKeyBlocks = 2;
constexpr std::size_t kVlArbBlocks = 4;
constexpr std::size_t kMftPositions = 16;

std::size_t RowsOf(const net::Netlist& netlist) {
    std::size_t rows = 0;
    for (const net::NetNode& node : netlist.nodes) {
        rows += node.ports.size();
    }
    return rows;
}

/// At a switch a row of 8 octets for every pair of ports, at a CA one a port.
std::size_t SlToVlBytesOf(const net::NetNode& node) {
    return node.ports.size() * (node.is_switch() ? node.ports.size() : 1) * 8;
}

std::size_t SlToVlBytesOf(const net::Netlist& netlist) {
    std::size_t bytes = 0;
    for (const net::NetNode& node : netlist.nodes) {
        bytes += SlToVlBytesOf(node);
    }
    return bytes;
}

std::size_t BlocksOf(std::size_t entries, std::size_t per_block) {
    return (entries + per_block - 1) / per_block;
}

}  // namespace

World::World(const net::Netlist& netlist, const Hardware& hardware)
    : hardware_(hardware),
      lft_stride_(BlocksOf(hardware.linear_fdb_cap, 64) * 64),
      mft_stride_(BlocksOf(hardware.multicast_fdb_cap, 32) * kMftPositions * 64),
      lfts_(netlist.switch_count() * lft_stride_),
      mfts_(netlist.switch_count() * mft_stride_),
      p_keys_(RowsOf(netlist) * kPKeyBlocks * 64),
      vl_arbs_(RowsOf(netlist) * kVlArbBlocks * 64),
      guids_(RowsOf(netlist) * 64),
      bandwidths_(RowsOf(netlist) * kSimBandwidthTables * 64),
      sl_to_vls_(SlToVlBytesOf(netlist)) {
    nodes_.reserve(netlist.nodes.size());
    ports_.reserve(RowsOf(netlist));
    for (const net::NetNode& node : netlist.nodes) {
        AddNode(node, hardware);
    }
    wired_.assign(ports_.size(), kNoRow);
    beyond_.assign(ports_.size(), kNoRow);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (std::size_t p = 1; p < netlist.nodes[i].ports.size(); ++p) {
            const net::NetPort& port = netlist.nodes[i].ports[p];
            if (port.peer == net::kNoPeer) continue;
            wired_[nodes_[i].first_row + p] = nodes_[port.peer].first_row + port.peer_port;
        }
    }
    effects_.reserve(4 * ports_.size() + 16);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        ResetNode(i);
    }
    for (std::uint32_t row = 0; row < ports_.size(); ++row) {
        FinishTraining(row);  // The fabric was plugged together before we came.
    }
    effects_.clear();
}

namespace {

/// CapabilityMask2, where there is something in it.
void AddCapabilities(PortInfo& info, std::uint16_t mask) {
    if (mask == 0) return;
    info.Set(PortInfo::kCapabilityMask2, mask);
    info.Set(PortInfo::kCapabilityMask,
             info.Get(PortInfo::kCapabilityMask) | capability_mask::kIsCapabilityMask2Supported);
}

}  // namespace

void World::AddNode(const net::NetNode& from, const Hardware& hardware) {
    SimNode node;
    node.type = from.type;
    node.port_count = static_cast<std::uint8_t>(from.port_count());
    node.first_row = static_cast<std::uint32_t>(ports_.size());
    node.guid = from.guid;
    node.partition_cap = hardware.partition_cap;
    node.sl_to_vl_first = sl_to_vl_bytes_;
    sl_to_vl_bytes_ += static_cast<std::uint32_t>(SlToVlBytesOf(from));
    node.info.Set(NodeInfo::kBaseVersion, kBaseVersion);
    node.info.Set(NodeInfo::kClassVersion, kSubnClassVersion);
    node.info.Set(NodeInfo::kNodeType, from.type);
    node.info.Set(NodeInfo::kNumPorts, node.port_count);
    node.info.Set(NodeInfo::kSystemImageGuid, from.system_image_guid);
    node.info.Set(NodeInfo::kNodeGuid, from.guid);
    node.info.Set(NodeInfo::kPartitionCap, hardware.partition_cap);
    node.info.Set(NodeInfo::kDeviceId, from.device_id);
    node.info.Set(NodeInfo::kRevision, 0xA1U);
    node.info.Set(NodeInfo::kVendorId, from.vendor_id);
    const std::size_t length = std::min(from.description.size(), node.description.size());
    std::memcpy(node.description.data(), from.description.data(), length);
    if (node.is_switch()) {
        node.switch_index = switch_count_++;
        node.switch_info.Set(
            SwitchInfo::kEnhancedPort0,
            static_cast<std::uint8_t>(from.enhanced_port0 || hardware.all_enhanced_port0));
    }
    const auto at = static_cast<std::uint32_t>(nodes_.size());
    for (std::size_t p = 0; p < from.ports.size(); ++p) {
        SimPort port;
        port.node = at;
        port.number = static_cast<std::uint8_t>(p);
        const Guid made = node.is_switch() ? from.guid : Guid{Raw(from.guid) + p};
        port.guid = from.ports[p].guid != kNoGuid ? from.ports[p].guid : made;
        DescribePort(port, from.ports[p], node);
        if (!node.is_switch() || p == 0) AddCapabilities(port.info, net::CapabilitiesOf(from, p));
        ports_.push_back(port);
        factory_.push_back(port.info);
    }
    nodes_.push_back(node);
}

/// PortInfo as it is after power-up.
void World::DescribePort(SimPort& port, const net::NetPort& from, const SimNode& owner) const {
    PortInfo& info = port.info;
    const bool own_data = !owner.is_switch() || port.number == 0;
    const auto up_to = [](std::uint8_t code) { return static_cast<std::uint8_t>(code * 2 - 1); };
    const bool extended =
        from.extended_speed != 0 || (from.speed == 0 && hardware_.extended_speeds);
    if (own_data) {
        namespace can = capability_mask;
        std::uint32_t mask =
            can::kIsTrapSupported | can::kIsSlMappingSupported | can::kIsSystemImageGuidSupported |
            can::kIsClientReregistrationSupported | can::kIsOtherLocalChangesNoticeSupported;
        if (!owner.is_switch()) mask |= can::kIsLedInfoSupported;
        // A switch tells of its external ports here: they all know extended speeds or none does.
        if (extended || (owner.is_switch() && hardware_.extended_speeds)) {
            mask |= can::kIsExtendedSpeedsSupported;
        }
        info.Set(PortInfo::kCapabilityMask, mask);
        info.Set(PortInfo::kGuidCap, std::uint8_t{8});
    }
    const std::uint8_t slow_widths = from.width == link_width::k2x    ? std::uint8_t{1}
                                     : from.width == link_width::k12x ? std::uint8_t{3}
                                                                      : up_to(from.width);
    const auto widths = static_cast<std::uint8_t>(slow_widths | from.width);
    info.Set(PortInfo::kLinkWidthSupported, widths);
    info.Set(PortInfo::kLinkWidthEnabled, widths);
    info.Set(PortInfo::kLinkWidthActive, std::uint8_t{link_width::k4x});
    const std::uint8_t speeds = from.speed == 0 ? std::uint8_t{7} : up_to(from.speed);
    info.Set(PortInfo::kLinkSpeedSupported, speeds);
    info.Set(PortInfo::kLinkSpeedEnabled, speeds);
    info.Set(PortInfo::kLinkSpeedActive, std::uint8_t{link_speed::kSdr});
    if (extended && !(owner.is_switch() && port.number == 0)) {
        const bool is_xdr = from.extended_speed == net::kXdr;
        const std::uint8_t fast = from.speed == 0 ? std::uint8_t{3}
                                  : is_xdr        ? up_to(link_speed_ext::kNdr)
                                                  : up_to(from.extended_speed);
        info.Set(PortInfo::kLinkSpeedExtSupported, fast);
        info.Set(PortInfo::kLinkSpeedExtEnabled, fast);
        const std::uint8_t faster = is_xdr ? link_speed_ext2::kXdr : link_speed_ext2::kNone;
        info.Set(PortInfo::kLinkSpeedExtSupported2, faster);
        info.Set(PortInfo::kLinkSpeedExtEnabled2, faster);
    }
    info.Set(PortInfo::kLinkDownDefaultState, LinkDownDefaultState::kPolling);
    info.Set(PortInfo::kNeighborMtu, Mtu::k2048);
    info.Set(PortInfo::kMtuCap, hardware_.mtu_cap);
    info.Set(PortInfo::kVlCap, hardware_.vl_cap);
    info.Set(PortInfo::kOperationalVls, hardware_.vl_cap);
    info.Set(PortInfo::kVlArbitrationHighCap, std::uint8_t{8});
    info.Set(PortInfo::kVlArbitrationLowCap, std::uint8_t{8});
    info.Set(PortInfo::kSubnetTimeOut, std::uint8_t{18});
    info.Set(PortInfo::kRespTimeValue, std::uint8_t{16});
}

void World::ResetNode(std::uint32_t at) {
    SimNode& node = nodes_[at];
    node.led = false;
    if (node.is_switch()) ResetSwitch(node);
    for (std::uint32_t p = 0; p <= node.port_count; ++p) {
        ResetPort(node.first_row + p);
    }
    ++route_epoch_;
}

void World::ResetSwitch(SimNode& node) {
    const std::uint8_t enhanced = node.switch_info.Get(SwitchInfo::kEnhancedPort0);
    node.switch_info = SwitchInfo{};
    node.switch_info.Set(SwitchInfo::kLinearFdbCap, hardware_.linear_fdb_cap);
    node.switch_info.Set(SwitchInfo::kMulticastFdbCap, hardware_.multicast_fdb_cap);
    node.switch_info.Set(SwitchInfo::kPartitionEnforcementCap, hardware_.partition_cap);
    node.switch_info.Set(SwitchInfo::kInboundEnforcementCap, std::uint8_t{1});
    node.switch_info.Set(SwitchInfo::kOutboundEnforcementCap, std::uint8_t{1});
    node.switch_info.Set(SwitchInfo::kEnhancedPort0, enhanced);
    node.switch_info.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    for (const auto& table : {lfts_.at(node.switch_index * lft_stride_, lft_stride_),
                              mfts_.at(node.switch_index * mft_stride_, mft_stride_)}) {
        // Only what was written is put back, so that untouched pages stay untouched.
        for (std::uint8_t& octet : table) {
            if (octet != 0) octet = 0;
        }
    }
}

void World::ResetPort(std::uint32_t row) {
    SimPort& port = ports_[row];
    const SimNode& node = node_of(row);
    port.info = factory_[row];
    port.disabled = false;
    port.m_key_lease_ns = 0;
    if (port.number == 0) {
        const bool enhanced = node.switch_info.Get(SwitchInfo::kEnhancedPort0) != 0;
        port.info.Set(PortInfo::kPortState, enhanced ? PortState::kInitialize : PortState::kActive);
        port.info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kLinkUp);
    } else {
        port.info.Set(PortInfo::kPortState, PortState::kDown);
        port.info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kPolling);
    }
    const std::span<std::uint8_t> p_keys = p_keys_.at(row * kPKeyBlocks * 64, kPKeyBlocks * 64);
    std::fill(p_keys.begin(), p_keys.end(), std::uint8_t{0});
    p_keys[0] = p_keys[1] = 0xFF;  // The default partition, full member. IBA vol. 1, 10.9.1.2.
    for (std::uint32_t table = 0; table < kSimBandwidthTables; ++table) {
        for (std::uint8_t& octet : BandwidthBlock(row, table)) {
            if (octet != 0) octet = 0;  // A page that was never written takes no memory.
        }
    }
    if (node.is_switch() && port.number != 0) return;
    const std::span<std::uint8_t> guids = GuidBlock(row);
    std::fill(guids.begin(), guids.end(), std::uint8_t{0});  // Aliases are lost without power.
    for (unsigned i = 0; i < 8; ++i) {
        guids[i] = static_cast<std::uint8_t>(Raw(port.guid) >> (56U - 8U * i));
    }
}

bool World::ReadLftBlock(std::uint32_t node, std::uint32_t block, SmpData& data) const {
    if (block * 64U >= hardware_.linear_fdb_cap) return false;
    const auto entries =
        lfts_.at(nodes_[node].switch_index * lft_stride_ + std::size_t{block} * 64, 64);
    std::transform(entries.begin(), entries.end(), data.begin(),
                   [](std::uint8_t octet) { return static_cast<std::uint8_t>(~octet); });
    return true;
}

bool World::WriteLftBlock(std::uint32_t node, std::uint32_t block, const SmpData& data) {
    if (block * 64U >= hardware_.linear_fdb_cap) return false;
    const auto entries =
        lfts_.at(nodes_[node].switch_index * lft_stride_ + std::size_t{block} * 64, 64);
    std::transform(data.begin(), data.end(), entries.begin(),
                   [](std::uint8_t octet) { return static_cast<std::uint8_t>(~octet); });
    ++route_epoch_;
    if (lft_watcher_) lft_watcher_(node, block);
    return true;
}

void World::ScrambleLft(std::uint32_t node, std::uint64_t seed) {
    net::Random random(seed ^ Raw(nodes_[node].guid));
    for (std::uint8_t& octet : lfts_.at(nodes_[node].switch_index * lft_stride_, lft_stride_)) {
        octet = static_cast<std::uint8_t>(random.Next());
    }
    ++route_epoch_;
}

std::span<std::uint8_t> World::MftBlock(std::uint32_t node, std::uint32_t block,
                                        std::uint32_t position) const {
    if (block * 32U >= hardware_.multicast_fdb_cap || position * 16U > nodes_[node].port_count) {
        return {};
    }
    return mfts_.at(nodes_[node].switch_index * mft_stride_ +
                        (std::size_t{block} * kMftPositions + position) * 64,
                    64);
}

std::span<std::uint8_t> World::PKeyBlock(std::uint32_t row, std::uint32_t block) const {
    if (block * 32U >= node_of(row).partition_cap) return {};
    return p_keys_.at((std::size_t{row} * kPKeyBlocks + block) * 64, 64);
}

std::span<std::uint8_t> World::VlArbBlock(std::uint32_t row, std::uint32_t block) const {
    if (block < 1 || block > kVlArbBlocks) return {};
    return vl_arbs_.at((std::size_t{row} * kVlArbBlocks + block - 1) * 64, 64);
}

std::span<std::uint8_t> World::GuidBlock(std::uint32_t row) const {
    return guids_.at(std::size_t{row} * 64, 64);
}

std::span<std::uint8_t> World::BandwidthBlock(std::uint32_t row, std::uint32_t table) const {
    if (table >= kSimBandwidthTables) return {};
    return bandwidths_.at((std::size_t{row} * kSimBandwidthTables + table) * 64, 64);
}

std::span<std::uint8_t> World::SlToVl(std::uint32_t row, std::uint32_t in,
                                      std::uint32_t out) const {
    const SimNode& node = node_of(row);
    const std::size_t entry =
        node.is_switch() ? in * (node.port_count + std::size_t{1}) + out : ports_[row].number;
    return sl_to_vls_.at(node.sl_to_vl_first + entry * 8, 8);
}

}  // namespace ember::sim
