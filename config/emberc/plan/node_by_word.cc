// SPDX-License-Identifier: Apache-2.0
// EmberSM: the node of a netlist, and the port of it, that an operator's word means.
#include "config/emberc/plan/node_by_word.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "config/netlist/fabric_builder.h"
#include "core/fabric/node_names.h"

namespace ember::plan {
namespace {

using explain::Spot;

/// The nodes of a netlist, with an index by GUID and by LID.
class NetlistDirectory final : public explain::Directory {
public:
    NetlistDirectory(const net::Netlist& netlist, const Calling& calling)
        : netlist_(netlist), calling_(calling) {
        for (std::size_t i = 0; i < netlist.nodes.size(); ++i) {
            AddNode(i);
        }
    }

    [[nodiscard]] std::size_t bound() const override { return netlist_.nodes.size(); }
    [[nodiscard]] Guid GuidOf(std::size_t node) const override { return netlist_.nodes[node].guid; }
    [[nodiscard]] std::string_view NameOf(std::size_t node, std::size_t number,
                                          std::span<char> room) const override {
        const net::NetNode& row = netlist_.nodes[node];
        const std::size_t mapped =
            calling_.tables == nullptr ? 0 : MappedName(*calling_.tables, row.guid, room);
        const std::array<std::string_view, 4> names{
            std::string_view(room.data(), mapped), row.description, row.id, {}};
        return names[std::min(number + (mapped == 0 ? 1U : 0U), names.size() - 1)];
    }
    [[nodiscard]] Spot FindNode(Guid guid) const override { return In(nodes_, Raw(guid)); }
    [[nodiscard]] Spot FindPort(Guid guid) const override { return In(ports_, Raw(guid)); }
    [[nodiscard]] Spot FindLid(Lid lid) const override { return In(lids_, Raw(lid)); }

private:
    using Spots = std::unordered_map<std::uint64_t, Spot>;

    [[nodiscard]] static Spot In(const Spots& spots, std::uint64_t key) {
        const auto found = spots.find(key);
        return found == spots.end() ? Spot{} : found->second;
    }

    void AddNode(std::size_t at) {
        const net::NetNode& node = netlist_.nodes[at];
        nodes_.emplace(Raw(node.guid), Spot{at});
        const std::size_t ports = node.is_switch() ? 1 : node.ports.size();
        for (std::size_t p = node.is_switch() ? 0 : 1; p < ports; ++p) {
            AddPort(node, p,
                    {at, node.is_switch() ? Spot::kAnyPort : static_cast<std::uint32_t>(p)});
        }
    }

    void AddPort(const net::NetNode& node, std::size_t number, const Spot& spot) {
        const Guid guid = net::PortGuid(node, number);
        ports_.emplace(Raw(guid), spot);
        const net::NetPort& port = node.ports[number];
        if (calling_.lids == nullptr) return AddLids(port.lid, port.lmc, spot);
        const auto found = calling_.lids->find(guid);
        if (found != calling_.lids->end()) AddLids(found->second, 0, spot);
    }

    void AddLids(Lid first, std::uint8_t lmc, const Spot& spot) {
        if (first == kNoLid) return;
        for (std::uint64_t i = 0; i < std::uint64_t{1} << (lmc & 7U); ++i) {
            lids_.emplace(Raw(first) + i, spot);
        }
    }

    const net::Netlist& netlist_;
    const Calling& calling_;
    Spots nodes_;
    Spots ports_;
    Spots lids_;
};

/// The first port with a cable; 0 for a switch.
std::uint32_t PortFor(const net::NetNode& node) {
    if (node.is_switch()) return 0;
    for (std::uint32_t p = 1; p <= node.port_count(); ++p) {
        if (node.ports[p].peer != net::kNoPeer) return p;
    }
    return 1;
}

}  // namespace

Spot NodeByWord(const net::Netlist& netlist, std::string_view word, const Calling& calling) {
    std::array<char, 768> room{};
    FixedText why(room);
    const Spot spot = explain::Resolve(NetlistDirectory(netlist, calling), word, why);
    if (!spot.exists()) throw std::runtime_error(std::string(why.text()));
    return spot;
}

net::NetEnd FindHome(const net::Netlist& netlist, std::string_view word, Guid guid,
                     const Calling& calling) {
    if (word.empty()) {
        const Spot spot = NetlistDirectory(netlist, calling).FindPort(guid);
        if (guid == kNoGuid || !spot.exists()) return net::FirstSeat(netlist);
        const bool is_switch = spot.port == Spot::kAnyPort;
        return {static_cast<std::uint32_t>(spot.node), is_switch ? 0 : spot.port};
    }
    const Spot spot = NodeByWord(netlist, word, calling);
    const net::NetNode& node = netlist.nodes[spot.node];
    const auto at = static_cast<std::uint32_t>(spot.node);
    if (spot.port == Spot::kAnyPort || node.is_switch()) return {at, PortFor(node)};
    if (spot.port < 1 || spot.port > node.port_count()) {
        throw std::runtime_error(
            fmt::format("\"{}\" has {} ports, and no port {}", word, node.port_count(), spot.port));
    }
    return {at, spot.port};
}

}  // namespace ember::plan
