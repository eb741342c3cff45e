// SPDX-License-Identifier: Apache-2.0
// EmberSM: a fabric on paper: which nodes there are and which port is cabled to which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/wire/node_info.h"

namespace ember::net {

inline constexpr std::uint32_t kNoPeer = 0xFFFFFFFF;

/// NetPort::extended_speed of XDR, which has a field of its own in PortInfo.
inline constexpr std::uint8_t kXdr = 16;

/// A port of a node on paper. In a switch, number 0 is its management port.
struct NetPort {
    std::uint32_t peer = kNoPeer;  ///< Index of the node at the other end of the cable.
    std::uint8_t peer_port = 0;
    std::uint8_t width = 2;           ///< LinkWidth code: 1 1x, 2 4x, 4 8x, 8 12x, 16 2x.
    std::uint8_t speed = 0;           ///< LinkSpeed code 1, 2, 4; 0: not told.
    std::uint8_t extended_speed = 0;  ///< LinkSpeedExt code 1, 2, 4, 8, or kXdr; 0: none.
    std::uint32_t line = 0;           ///< Where the file says so; 0: made by a generator.
    Guid guid = kNoGuid;              ///< PortGUID if the file tells it.
    Lid lid = kNoLid;      ///< Base LID of an end port, likewise; a subnet manager gave it.
    std::uint8_t lmc = 0;  ///< Told with `lid`.
};

/// A node on paper.
struct NetNode {
    NodeType type{};
    std::string id;           ///< Its name in the lines of other nodes, unique.
    std::string description;  ///< NodeDescription; the id when the file gives none.
    Guid guid = kNoGuid;
    Guid system_image_guid = kNoGuid;
    std::uint32_t vendor_id = 0;
    std::uint16_t device_id = 0;
    bool enhanced_port0 = false;
    std::uint32_t line = 0;
    std::vector<NetPort> ports;  ///< By port number, 0 included, so one more than the node has.

    [[nodiscard]] bool is_switch() const { return type == NodeType::kSwitch; }
    [[nodiscard]] std::uint32_t port_count() const {
        return static_cast<std::uint32_t>(ports.size() - 1);
    }
};

/// A fabric on paper, as ibnetdiscover prints it and ibsim reads it.
///
/// A netlist is composed before anything runs and may use the heap. Nothing here is an SM's
/// knowledge: it is what the simulated world is made of.
struct Netlist {
    std::vector<NetNode> nodes;
    Guid made_from = kNoGuid;  ///< PortGUID of "Initiated from": where ibnetdiscover ran.

    /// Adds a node and returns its index. `id` must be new.
    std::uint32_t Add(NodeType type, std::uint32_t port_count, std::string id,
                      std::string description);
    /// Draws a cable. Both ports exist and are free; a port may be cabled to itself (a loop-back).
    void Connect(std::uint32_t one, std::uint32_t one_port, std::uint32_t other,
                 std::uint32_t other_port);
    /// Draws a cable between the lowest free ports of both. False when one has none.
    bool ConnectAny(std::uint32_t one, std::uint32_t other);
    /// Gives a GUID to every node that has none, numbered as ibsim numbers them: CAs from 0x100000
    /// (a node takes its ports + 1), switches from 0x200000 (one each), and routers from 0x300000,
    /// where ibsim has 0 and no subnet manager would take them in.
    void AssignGuids();
    /// The index of the node with this id, or kNoPeer.
    [[nodiscard]] std::uint32_t Find(std::string_view id) const;

    [[nodiscard]] std::size_t switch_count() const;
    [[nodiscard]] std::size_t link_count() const;
};

/// CapabilityMask2 of an end port: what its links prove that it can, or those of its switch.
[[nodiscard]] std::uint16_t CapabilitiesOf(const NetNode& node, std::size_t number);

/// The mistakes in a netlist, in order of appearance: "file:line: error: sentence".
using NetErrors = std::vector<std::string>;

/// Reads a netlist. `file` is only for the messages. On errors (20 are told, and how many more
/// there are) the netlist is empty. GUIDs come from the file when it has them (caguid=,
/// switchguid=, rtguid=, port GUIDs in brackets), else from AssignGuids().
[[nodiscard]] Netlist ParseNetlist(std::string_view text, std::string_view file, NetErrors& errors);

/// The netlist as ibnetdiscover would print it; ibsim and ParseNetlist() read it.
[[nodiscard]] std::string WriteNetlist(const Netlist& netlist);

}  // namespace ember::net
