// SPDX-License-Identifier: Apache-2.0
// EmberSM: building a fabric on paper, and writing it down.
#include "config/netlist/netlist.h"

#include <array>
#include <cstdio>
#include <utility>

#include "core/base/assert.h"
#include "core/wire/port_info.h"

namespace ember::net {

std::uint32_t Netlist::Add(NodeType type, std::uint32_t port_count, std::string id,
                           std::string description) {
    EMBER_ASSERT(port_count >= 1 && port_count <= 254);
    NetNode node;
    node.type = type;
    node.id = std::move(id);
    node.description = std::move(description);
    node.ports.resize(port_count + 1);
    nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes.size() - 1);
}

void Netlist::Connect(std::uint32_t one, std::uint32_t one_port, std::uint32_t other,
                      std::uint32_t other_port) {
    EMBER_ASSERT(one_port >= 1 && one_port <= nodes[one].port_count());
    EMBER_ASSERT(other_port >= 1 && other_port <= nodes[other].port_count());
    NetPort& here = nodes[one].ports[one_port];
    NetPort& there = nodes[other].ports[other_port];
    EMBER_ASSERT(here.peer == kNoPeer && there.peer == kNoPeer);
    here.peer = other;
    here.peer_port = static_cast<std::uint8_t>(other_port);
    there.peer = one;
    there.peer_port = static_cast<std::uint8_t>(one_port);
}

bool Netlist::ConnectAny(std::uint32_t one, std::uint32_t other) {
    const auto free_port = [this](std::uint32_t node, std::uint32_t above) {
        for (std::uint32_t port = above + 1; port <= nodes[node].port_count(); ++port) {
            if (nodes[node].ports[port].peer == kNoPeer) return port;
        }
        return 0U;
    };
    const std::uint32_t one_port = free_port(one, 0);
    const std::uint32_t other_port = free_port(other, one == other ? one_port : 0);
    if (one_port == 0 || other_port == 0) return false;
    Connect(one, one_port, other, other_port);
    return true;
}

void Netlist::AssignGuids() {
    std::uint64_t next_ca = 0x100000;
    std::uint64_t next_switch = 0x200000;
    std::uint64_t next_router = 0x300000;
    for (NetNode& node : nodes) {
        std::uint64_t& next = node.is_switch()                 ? next_switch
                              : node.type == NodeType::kRouter ? next_router
                                                               : next_ca;
        if (node.guid == kNoGuid) node.guid = Guid{next};
        next += node.is_switch() ? 1U : node.ports.size();
        if (node.system_image_guid == kNoGuid) node.system_image_guid = node.guid;
    }
}

std::uint32_t Netlist::Find(std::string_view id) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].id == id) return static_cast<std::uint32_t>(i);
    }
    return kNoPeer;
}

std::size_t Netlist::switch_count() const {
    std::size_t count = 0;
    for (const NetNode& node : nodes) {
        if (node.is_switch()) ++count;
    }
    return count;
}

std::size_t Netlist::link_count() const {
    std::size_t ends = 0;
    std::size_t loops = 0;  // A port cabled to itself is a link with one end.
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t p = 1; p < nodes[i].ports.size(); ++p) {
            const NetPort& port = nodes[i].ports[p];
            if (port.peer == kNoPeer) continue;
            const bool itself = port.peer == i && port.peer_port == p;
            ++(itself ? loops : ends);
        }
    }
    return ends / 2 + loops;
}

std::uint16_t CapabilitiesOf(const NetNode& node, std::size_t number) {
    namespace can = capability_mask2;
    std::uint16_t mask = 0;
    for (std::size_t i = 0; i < node.ports.size(); ++i) {
        if (!node.is_switch() && i != number) continue;
        const NetPort& port = node.ports[i];
        if (port.width == link_width::k2x) mask |= can::kIsLinkWidth2xSupported;
        if (port.extended_speed >= link_speed_ext::kHdr) mask |= can::kIsLinkSpeedHdrSupported;
        if (port.extended_speed >= link_speed_ext::kNdr) mask |= can::kIsLinkSpeedNdrSupported;
        if (port.extended_speed < kXdr) continue;
        mask |= can::kIsExtendedSpeeds2Supported | can::kIsLinkSpeedXdrSupported;
    }
    return mask;
}

namespace {

template <typename... Values>
void Print(std::string& to, const char* format, Values... values) {
    std::array<char, 256> line{};
    const int length = std::snprintf(line.data(), line.size(), format, values...);
    if (length > 0) to.append(line.data(), static_cast<std::size_t>(length));
}

const char* KindOf(const NetNode& node) {
    if (node.is_switch()) return "Switch";
    return node.type == NodeType::kRouter ? "Rt" : "Ca";
}

const char* GuidNameOf(const NetNode& node) {
    if (node.is_switch()) return "switchguid";
    return node.type == NodeType::kRouter ? "rtguid" : "caguid";
}

constexpr const char* SpeedName(const NetPort& port) {
    switch (port.extended_speed) {
        case 1:
            return "FDR";
        case 2:
            return "EDR";
        case 4:
            return "HDR";
        case 8:
            return "NDR";
        case kXdr:
            return "XDR";
        default:
            break;
    }
    switch (port.speed) {
        case 2:
            return "DDR";
        case 4:
            return "QDR";
        default:
            return "SDR";
    }
}

constexpr int WidthOf(const NetPort& port) {
    switch (port.width) {
        case 1:
            return 1;
        case 4:
            return 8;
        case 8:
            return 12;
        case 16:
            return 2;
        default:
            return 4;
    }
}

void WritePorts(const Netlist& netlist, const NetNode& node, std::string& out) {
    for (std::uint32_t number = 1; number <= node.port_count(); ++number) {
        const NetPort& port = node.ports[number];
        if (port.peer == kNoPeer) continue;
        const NetNode& peer = netlist.nodes[port.peer];
        Print(out, "[%u]", number);
        if (!node.is_switch() && port.guid != kNoGuid) {
            Print(out, "(%llx)", static_cast<unsigned long long>(Raw(port.guid)));  // NOLINT
        }
        out += "\t\"" + peer.id + "\"";
        Print(out, "[%u]", static_cast<unsigned>(port.peer_port));
        if (port.speed != 0) {
            out += "\t\t# \"" + peer.description + "\"";
            Print(out, " %dx%s", WidthOf(port), SpeedName(port));
        }
        out += '\n';
    }
}

}  // namespace

std::string WriteNetlist(const Netlist& netlist) {
    std::string out;
    for (const NetNode& node : netlist.nodes) {
        if (node.vendor_id != 0) Print(out, "vendid=0x%x\n", node.vendor_id);
        if (node.device_id != 0) Print(out, "devid=0x%x\n", unsigned{node.device_id});
        const auto system = static_cast<unsigned long long>(Raw(node.system_image_guid));  // NOLINT
        const auto guid = static_cast<unsigned long long>(Raw(node.guid));                 // NOLINT
        if (system != 0 && system != guid) Print(out, "sysimgguid=0x%llx\n", system);
        if (guid != 0) {
            Print(out, "%s=0x%llx", GuidNameOf(node), guid);
            if (node.is_switch()) Print(out, "(%llx)", guid);
            out += '\n';
        }
        Print(out, "%s\t%u ", KindOf(node), node.port_count());
        out += "\"" + node.id + "\"\t\t# \"" + node.description + "\"";
        if (node.is_switch()) out += node.enhanced_port0 ? " enhanced port 0" : " base port 0";
        out += '\n';
        WritePorts(netlist, node, out);
        out += '\n';
    }
    return out;
}

}  // namespace ember::net
