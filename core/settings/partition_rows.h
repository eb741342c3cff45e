// SPDX-License-Identifier: Apache-2.0
// EmberSM: partitions as a configuration describes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/gid.h"
#include "core/base/ids.h"

namespace ember {

/// The bits of a P_Key that name the partition; the top bit is the kind of membership.
inline constexpr std::uint16_t kPKeyBase = 0x7FFF;

/// The membership of a port in a partition, as bits: the forms of the P_Key that its table holds.
/// IBA vol. 1, 10.9.1. Two ports may communicate in a partition of which both are members and one
/// is full.
enum class Membership : std::uint8_t { kNone = 0, kLimited = 1, kFull = 2, kBoth = 3 };

/// At least one of the two is a full member, and the other is a member.
[[nodiscard]] constexpr bool MayCommunicate(Membership one, Membership other) {
    if (one == Membership::kNone || other == Membership::kNone) return false;
    const auto forms = static_cast<std::uint8_t>(one) | static_cast<std::uint8_t>(other);
    return (forms & static_cast<std::uint8_t>(Membership::kFull)) != 0;
}

/// Words of partition_config_file that name many ports at once. Which ports they are is known on
/// the switch alone. The words of the file stand in this order too.
enum class PortClass : std::uint8_t {
    kAll,       ///< Every end port: those of CAs and routers, and port 0 of switches.
    kCas,       ///< Ports of channel adapters.
    kSwitches,  ///< Port 0 of switches.
    kRouters,
    kVcas,  ///< Ports of virtual adapters, of which there are none.
    kSelf,  ///< The subnet manager's own port.
};
inline constexpr std::size_t kPortClasses = 6;

/// A partition. A table has that of kDefaultPKey among its rows.
struct PartitionRow {
    std::uint32_t line = 0;   ///< Of partition_config_file, where it is first defined; 0: nowhere.
    std::uint32_t first = 0;  ///< First octet of its name in ManagerTables::partition_names.
    std::uint16_t p_key = 0;  ///< Base, 1..0x7FFF; ascending in the table.
    std::uint8_t octets = 0;  ///< Of its name, 0..kMostNameOctets.
    std::uint8_t sl : 4 = 0;  ///< Service level of its paths, where qos is on.
    bool is_ip : 1 = false;   ///< Marked `ipoib`.
    [[nodiscard]] bool operator==(const PartitionRow&) const = default;
};

/// A port that is named as a member of a partition; ascending by GUID, then by P_Key.
///
/// A port may also belong to classes that are members. The last word of the file counts, as with
/// OpenSM: `turn` is how many of the partition's classes stand before this port, and those overrule
/// it that stand behind. (A class with turn 3 overrules ports with turn 2, and not those with 3.)
struct PartitionMember {
    Guid port_guid = kNoGuid;
    std::uint32_t line = 0;   ///< Of partition_config_file.
    std::uint16_t p_key = 0;  ///< Base of a partition of the table.
    Membership membership{};  ///< Not kNone.
    std::uint8_t turn : 7 = 0;
    bool is_first : 1 = false;  ///< Its P_Key goes to index 0 of the port's table.
    [[nodiscard]] bool operator==(const PartitionMember&) const = default;
};

/// A class of ports that is a member of a partition; ascending by class, then by P_Key.
struct PartitionClass {
    std::uint32_t line = 0;   ///< Of partition_config_file; 0: no line says so, but OpenSM's rule.
    std::uint16_t p_key = 0;  ///< Base of a partition of the table.
    PortClass ports{};
    Membership membership{};    ///< Not kNone.
    std::uint8_t turn : 7 = 0;  ///< 1..kPortClasses: its place among the partition's classes.
    bool is_first : 1 = false;  ///< Its P_Key goes to index 0 of the ports' tables.
    [[nodiscard]] bool operator==(const PartitionClass&) const = default;
};

/// A multicast group that exists as long as its partition; ascending by MGID.
struct PartitionGroup {
    Gid mgid{};  ///< With its final scope and P_Key.
    std::uint32_t q_key = 0;
    std::uint32_t flow_label = 0;  ///< 20 bits.
    std::uint32_t line = 0;        ///< Of partition_config_file.
    std::uint16_t p_key = 0;       ///< Base of a partition of the table.
    std::uint8_t mtu = 0;          ///< Code of Mtu, 1..5.
    std::uint8_t rate = 0;         ///< Code of Rate.
    std::uint8_t sl = 0;           ///< 0..15.
    std::uint8_t tclass = 0;
    [[nodiscard]] bool operator==(const PartitionGroup&) const = default;
};

/// P_Keys of one port that the subnet manager looks after; blocks of a larger table are left alone.
/// Adapters have 128 at most, and each P_Key more costs 128 octets of every board.
inline constexpr std::size_t kMostPKeysOfPort = 128;

// Rows of the tables; emberc and the blob's reader take no more. A port is in no more partitions
// than there are.
inline constexpr std::size_t kMostPartitions = 4096;
inline constexpr std::size_t kMostPartitionClasses = kMostPartitions * kPortClasses;
inline constexpr std::size_t kMostPartitionMembers = 0x80000;
inline constexpr std::size_t kMostPartitionGroups = 0x4000;  ///< MLIDs of a subnet.

}  // namespace ember
