// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet as routing sees it: switches, the links among them, and where LIDs live.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/guid_order.h"
#include "core/graph/link_speeds.h"
#include "core/settings/engine_options.h"
#include "core/wire/port_info.h"

namespace ember {

class Fabric;

/// Row of a destination in Topology.
enum class DestinationIndex : std::uint16_t {};
inline constexpr DestinationIndex kNoDestination{0xFFFF};

/// "No path": in a hop matrix, and in a forwarding table (where it means drop).
inline constexpr std::uint8_t kNoHops = 255;

/// A switch as routing sees it.
struct RoutingSwitch {
    Guid guid = kNoGuid;  ///< NodeGUID; kNoGuid: no such switch, the row is a hole.
    Guid system_image_guid = kNoGuid;
    std::uint32_t first_exit = 0;   ///< Row of port 0 in the table of exits.
    std::uint32_t first_trunk = 0;  ///< Row of its first trunk.
    std::uint16_t trunk_count = 0;
    std::uint16_t end_port_count = 0;  ///< Links to something that is not a switch.
    std::uint16_t host_count = 0;      ///< Of them, those that are not to aggregation nodes.
    std::uint8_t port_count = 0;       ///< External ports, 1..254.
    bool is_home : 1 = false;          ///< The subnet manager lives on this switch's port 0.
    /// The switch takes no SL to VL maps: on each of its links all packets count as on VL 0.
    bool has_one_lane : 1 = false;
};
static_assert(sizeof(RoutingSwitch) == 32);

/// The other end of a switch port.
struct Exit {
    SwitchIndex peer = kNoSwitch;  ///< The switch there; kNoSwitch: none, or no usable link.
    PortNumber peer_port = kNoPort;
    // Fields in what would be padding: see the static_asserts below.
    /// OperationalVLs of the link, as the manager will set it; kVl0 where an end has one lane.
    VlCap vls : 3 = VlCap::kVl0;
    bool has_link : 1 = false;      ///< There is a usable link.
    bool is_throttled : 1 = false;  ///< The link runs below what both ends have enabled.
    LinkSpeed speed : 3 = 0;        ///< Between switches: see Topology::speeds().
    DestinationIndex destination = kNoDestination;  ///< The end port there, if it has a LID.

    /// Data VLs of the link: 1, 2, 4, 8 or 15; 1 where there is no usable link.
    [[nodiscard]] constexpr std::uint8_t lanes() const { return DataVls(vls); }
};
static_assert(sizeof(Exit) == 6, "there is one for each port of the subnet");
static_assert(Raw(VlCap::kVl0To14) < 1U << 3U);

/// Capabilities of a link, for both its ends.
struct LinkTraits {
    VlCap vls = VlCap::kVl0;    ///< See Exit::vls.
    bool is_throttled = false;  ///< See Exit::is_throttled.
    Rate rate = Rate::kNone;    ///< Of a link between switches; kNone: not known.
};

/// A usable link to another switch.
struct Trunk {
    SwitchIndex peer = kNoSwitch;
    PortNumber port{};
    PortNumber peer_port{};
};

/// A port of a switch.
struct SwitchExit {
    SwitchIndex at = kNoSwitch;
    PortNumber port = kNoPort;
};

/// An end port with LIDs: a port of a host or router, or port 0 of a switch.
struct Destination {
    Guid port_guid = kNoGuid;
    Lid lid = kNoLid;            ///< Base LID.
    SwitchIndex at = kNoSwitch;  ///< The switch it hangs on (or is); kNoSwitch: on none.
    PortNumber port = kNoPort;   ///< The port of that switch to it; 0: it is the switch itself.
    std::uint8_t lmc = 0;
    bool is_router : 1 = false;
    bool is_aggregation : 1 = false;  ///< See core/fabric/aggregation_nodes.h.
    bool faces_end_port = false;  ///< Linked to another end port, without a switch between them.
    Guid node_guid = kNoGuid;     ///< Of the host, router or switch that it is a port of.
    [[nodiscard]] constexpr bool is_switch() const { return port == kManagementPort; }
    /// A port of a host or router: its traffic is to be balanced.
    [[nodiscard]] constexpr bool is_host() const { return !is_switch() && !is_aggregation; }
    [[nodiscard]] constexpr std::uint32_t lid_count() const { return 1U << lmc; }
};

/// The subnet as routing sees it: a compact copy that stands still while engines and verifier work.
///
/// Rows of switches are those of Fabric, holes included. A link counts when both ends are known
/// and neither port is below INIT; a trunk therefore always runs both ways. The tables live in the
/// scratch arena: a Topology is valid until that is rewound.
///
/// There are two orders of iteration, by Settings::order: ascending GUID, or OpenSM's on a
/// little-endian host, ascending by the GUID's octets read backwards.
class Topology {
    // First, because clang 14 evaluates only templates whose bodies it has seen.
    /// The bytes that sorting takes, and gives back at once.
    template <Enum Row>
    [[nodiscard]] static constexpr std::size_t SortingBytes(std::size_t count) {
        return Arena::BytesFor<std::uint64_t>(count) + SortScratchBytes<Row>(count);
    }

public:
    /// The most that Build() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<RoutingSwitch>(limits.max_switches) +
               Arena::BytesFor<Exit>(limits.max_ports) + Arena::BytesFor<Trunk>(limits.max_ports) +
               Arena::BytesFor<Destination>(limits.max_lid) +
               2 * Arena::BytesFor<SwitchIndex>(limits.max_switches) +
               2 * Arena::BytesFor<DestinationIndex>(limits.max_lid) +
               std::max(SortingBytes<SwitchIndex>(limits.max_switches),
                        SortingBytes<DestinationIndex>(limits.max_lid));
    }

    constexpr Topology() = default;
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;

    /// Copies what routing needs of `fabric`. About 2 ms for 1,620 switches and 13,284 LIDs, most
    /// of it spent on waiting for memory.
    void Build(const Fabric& fabric, Order order, Arena& scratch, VlCap most_vls = VlCap::kVl0To14);
    /// The same in slices, the first being this one. Switches, their ports and LIDs stay as they
    /// are until the last; the state of a port may change, and is taken as it is found.
    /// `most_vls`: an upper bound of every Exit::vls (Settings::max_op_vls).
    /// `rates_links`: Exit::is_throttled is wanted.
    void BeginBuild(const Fabric& fabric, Arena& scratch, VlCap most_vls = VlCap::kVl0To14,
                    bool rates_links = false);
    /// Is there more to do? Nothing else may take from `scratch` in between.
    [[nodiscard]] bool BuildNext(const Fabric& fabric, Order order, Arena& scratch);

    // The same by hand, without a Fabric: Start, then switches, links and destinations in any
    // order, each switch before what hangs on it, then Finish.
    struct Size {
        std::size_t switches = 0;  ///< The highest row, plus 1.
        std::size_t ports = 0;     ///< Of all switches, port 0s included.
        std::size_t destinations = 0;
    };
    void Start(const Size& size, Arena& scratch);
    void AddSwitch(SwitchIndex at, Guid guid, Guid system_image_guid, std::uint8_t port_count);
    /// Its links have one data VL, whatever SetLink() will say.
    void SetOneLane(SwitchIndex at) { switches_[at].has_one_lane = true; }
    /// A link between two switches, added once or from both ends.
    void Connect(SwitchIndex one, PortNumber port, SwitchIndex other, PortNumber other_port);
    /// A link to something that is not a switch, whether or not it has a LID.
    void ConnectEndPort(SwitchIndex at, PortNumber port, bool is_aggregation = false);
    /// Sets what the link at `port` can, for both its ends. A switch at the other end is connected.
    void SetLink(SwitchIndex at, PortNumber port, const LinkTraits& traits);
    void AddDestination(const Destination& destination);
    void SetHome(SwitchIndex at) { switches_[at].is_home = true; }
    /// The destination that was added last is the subnet manager's own port.
    void SetHomeDestination() {
        EMBER_ASSERT(destination_count_ > 0);
        home_ = static_cast<DestinationIndex>(destination_count_ - 1);
    }
    void Finish(Order order, Arena& scratch);

    /// The same subnet with its switches in other rows: row i becomes that of `rows[i]` in `other`,
    /// and the rows behind are holes. `rows`: every switch of `other` once. Rows of destinations
    /// and all orders stay as they are. About 0.3 ms for 1,620 switches.
    void Renumber(const Topology& other, std::span<const SwitchIndex> rows, Arena& scratch);
    /// The links to other switches at these ports are none any more.
    void LeaveOut(std::span<const SwitchExit> ports);

    /// The least Limits of a board that could route this subnet, as far as appetites depend on
    /// them: what a computation takes for it is at most its appetite under these.
    [[nodiscard]] Limits bounds() const;

    /// The highest switch row in use, plus 1.
    [[nodiscard]] std::size_t switch_bound() const { return switch_bound_; }
    /// Switches, holes not counted.
    [[nodiscard]] std::size_t switch_count() const { return switch_count_; }
    [[nodiscard]] bool Has(SwitchIndex at) const { return switches_[at].guid != kNoGuid; }
    [[nodiscard]] const RoutingSwitch& switch_row(SwitchIndex at) const { return switches_[at]; }

    /// The exit at `port` of a switch. Asserted: the switch has that port.
    [[nodiscard]] const Exit& exit(SwitchIndex at, PortNumber port) const {
        const RoutingSwitch& row = switches_[at];
        EMBER_ASSERT(Raw(port) <= row.port_count);
        return exits_[row.first_exit + Raw(port)];
    }
    /// By port number, port 0 first.
    [[nodiscard]] std::span<const Exit> exits(SwitchIndex at) const {
        const RoutingSwitch& row = switches_[at];
        return exits_.subspan(row.first_exit, row.port_count + std::size_t{1});
    }
    /// All switches' exits, addressed by RoutingSwitch::first_exit + port.
    [[nodiscard]] std::span<const Exit> all_exits() const { return exits_.first(exit_count_); }
    /// Links to other switches, ascending port number. Links to itself are left out.
    [[nodiscard]] std::span<const Trunk> trunks(SwitchIndex at) const {
        const RoutingSwitch& row = switches_[at];
        return trunks_.subspan(row.first_trunk, row.trunk_count);
    }

    /// The switch with one lane at an end of the link of this port; kNoSwitch: there is none.
    [[nodiscard]] SwitchIndex OneLaneAt(SwitchIndex at, PortNumber port) const {
        if (switches_[at].has_one_lane) return at;
        const SwitchIndex peer = exit(at, port).peer;
        return peer != kNoSwitch && switches_[peer].has_one_lane ? peer : kNoSwitch;
    }

    [[nodiscard]] std::span<const Destination> destinations() const {
        return destinations_.first(destination_count_);
    }
    [[nodiscard]] const Destination& destination(DestinationIndex at) const {
        return destinations_[Raw(at)];
    }
    /// The switch with this NodeGUID, kNoSwitch: none. A binary search.
    [[nodiscard]] SwitchIndex FindSwitch(Guid guid) const;
    /// The destination with this PortGUID, kNoDestination: none. A binary search.
    [[nodiscard]] DestinationIndex FindDestination(Guid port_guid) const;
    /// The subnet manager's own port; kNoDestination: it has no LID yet, or is not known.
    [[nodiscard]] DestinationIndex home() const { return home_; }
    /// Hosts hang on it, or the subnet manager lives there.
    [[nodiscard]] bool HasHosts(SwitchIndex at) const {
        return switches_[at].host_count != 0 || switches_[at].is_home;
    }
    /// No end port is behind this switch, and the subnet manager is not on it. So with a hole.
    [[nodiscard]] bool IsMere(SwitchIndex at) const {
        return switches_[at].end_port_count == 0 && !switches_[at].is_home;
    }
    /// The subnet manager is on this switch's port 0, and no end port is behind it.
    [[nodiscard]] bool IsBareHome(SwitchIndex at) const {
        return at != kNoSwitch && switches_[at].is_home && switches_[at].end_port_count == 0;
    }
    /// The rates of links between switches.
    [[nodiscard]] const LinkSpeeds& speeds() const { return speeds_; }
    [[nodiscard]] LinkTraits traits(SwitchIndex at, PortNumber port) const {
        const Exit& link = exit(at, port);
        return {
            .vls = link.vls, .is_throttled = link.is_throttled, .rate = speeds_.rate(link.speed)};
    }
    [[nodiscard]] Order order() const { return order_; }
    /// Highest LID in use, kNoLid when none.
    [[nodiscard]] Lid top_lid() const { return top_lid_; }
    /// Largest LMC of any destination.
    [[nodiscard]] std::uint8_t top_lmc() const { return top_lmc_; }

    /// Switches in the order of their node GUIDs.
    [[nodiscard]] std::span<const SwitchIndex> switches_by_guid() const {
        return switches_by_guid_;
    }
    /// Destinations in the order of their port GUIDs.
    [[nodiscard]] std::span<const DestinationIndex> destinations_by_guid() const {
        return destinations_by_guid_;
    }
    /// Destinations as OpenSM's balanced builder takes them: those behind the switch with the most
    /// end ports first (equals by GUID), in the order of its ports; then all others, switches among
    /// them, by port GUID.
    [[nodiscard]] std::span<const DestinationIndex> destinations_by_crowd() const {
        return destinations_by_crowd_;
    }

private:
    static constexpr std::size_t kSwitchesPerSlice = 256;

    void AddLinks(const Fabric& fabric, SwitchIndex at);
    void CollectTrunks();
    void OrderSwitches(Order order, Arena& scratch);
    void OrderDestinations(Order order, Arena& scratch);
    void OrderByCrowd(Arena& scratch);

    Table<SwitchIndex, RoutingSwitch> switches_;
    std::span<Exit> exits_;
    std::span<Trunk> trunks_;
    std::span<Destination> destinations_;
    std::span<SwitchIndex> switches_by_guid_;
    std::span<DestinationIndex> destinations_by_guid_;
    std::span<DestinationIndex> destinations_by_crowd_;
    std::size_t switch_bound_ = 0;
    std::size_t linked_ = 0;  ///< Rows of switches whose links were looked at.
    std::size_t switch_count_ = 0;
    std::size_t exit_count_ = 0;
    std::size_t destination_count_ = 0;
    Order order_ = Order::kOpensm;
    VlCap most_vls_ = VlCap::kVl0To14;
    bool rates_links_ = false;
    LinkSpeeds speeds_;
    DestinationIndex home_ = kNoDestination;
    Lid top_lid_ = kNoLid;
    std::uint8_t top_lmc_ = 0;
};

}  // namespace ember
