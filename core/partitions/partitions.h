// SPDX-License-Identifier: Apache-2.0
// EmberSM: which partitions ports are in, and so which ports may communicate.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/settings/partition_rows.h"
#include "core/settings/settings.h"
#include "core/wire/p_key_table.h"

namespace ember {

/// `p_key` names a partition: its base is not 0. IBA vol. 1, 10.9.1.
[[nodiscard]] constexpr bool NamesPartition(std::uint16_t p_key) {
    return (p_key & kPKeyBase) != 0;
}

/// Both P_Keys name the same partition, whichever membership each of them says.
[[nodiscard]] constexpr bool SamePartition(std::uint16_t one, std::uint16_t other) {
    return ((one ^ other) & kPKeyBase) == 0;
}

/// The membership that the form of a P_Key says: full, or limited.
[[nodiscard]] constexpr Membership FormOf(std::uint16_t p_key) {
    return (p_key & kFullMembership) != 0 ? Membership::kFull : Membership::kLimited;
}

/// A partition that a port is in.
struct PortPartition {
    std::uint16_t p_key = kNoPKey;  ///< Base.
    Membership membership = Membership::kNone;
    bool is_first = false;   ///< The partition asks for index 0 of the port's table.
    std::uint32_t line = 0;  ///< Of partition_config_file, which says so; 0: it is a default.

    /// The P_Key that the port sends with: that of a full member where it is one.
    [[nodiscard]] constexpr std::uint16_t SentPKey() const {
        const bool is_full =
            (static_cast<unsigned>(membership) & static_cast<unsigned>(Membership::kFull)) != 0;
        return is_full ? static_cast<std::uint16_t>(p_key | kFullMembership) : p_key;
    }
    [[nodiscard]] bool operator==(const PortPartition&) const = default;
};

/// Finds which of a port's partitions its index 0 is for, while they are gone through: the one that
/// asks for it, as OpenSM's `indx0`; of several, the one that the file says last, or the default
/// one where that says so in the same line. If none asks, the default one.
class FirstPartition {
public:
    constexpr void Take(const PortPartition& one) {
        const bool is_default = SamePartition(one.p_key, kDefaultPKey);
        const std::uint32_t line = one.line + (is_default ? 1U : 0U);
        const bool is_later = one.is_first && (!chosen_.is_first || line > chosen_.line);
        if (is_later || (is_default && chosen_.p_key == kNoPKey)) chosen_ = one;
    }
    /// Of those taken so far; kNoPKey: the port has none for index 0.
    [[nodiscard]] constexpr std::uint16_t p_key() const { return chosen_.p_key; }

private:
    PortPartition chosen_{};
};

/// Goes through the partitions of one port, by ascending base; of no use after the tables or the
/// fabric have changed.
///
/// A port may be a member by its GUID and by as many as three classes: all ports, its kind of node,
/// the subnet manager's own. Each is a run of rows that ascend by P_Key, so the partitions of a
/// port are a merge of four runs, made without memory for each port.
class PartitionWalk {
public:
    PartitionWalk() = default;

    /// The next partition; false: there is none left. All of them take as many steps as the runs
    /// have rows, at most 4 * kMostPartitions.
    [[nodiscard]] bool Next(PortPartition& found);

private:
    friend class Partitions;

    std::array<std::span<const PartitionClass>, 3> classes_{};
    std::span<const PartitionMember> ports_{};
    bool is_default_ = false;  ///< Nothing is configured: the default partition is left.
};

/// The partitions of the subnet. All decisions about membership are made here and nowhere else.
///
/// Without a table of partitions every port of a live node is a full member of the default
/// partition (kDefaultPKey), as under OpenSM without a partition file, and of no other. With one a
/// port is in the partitions that its PortGUID or a class of ports is in; what the file says last
/// counts (core/settings/partition_rows.h). The ports of a switch are in the partitions of its port
/// 0, which alone has a PortGUID.
///
/// A P_Key that is asked about names its partition, whichever membership it says: a port puts into
/// packets the form that its own table holds, and the receiver's form decides with it (IBA vol. 1,
/// 10.9.3). So two limited members share nothing, not even when they are asked about a full P_Key,
/// and a limited and a full member share the partition under both P_Keys.
///
/// Answers are searched for, with memory for no port: about 4 * log2(rows) steps where a partition
/// is named, and a merge of the two ports' rows where any partition will do.
class Partitions {
public:
    /// Nothing is configured. `fabric` outlives the partitions.
    explicit Partitions(const Fabric& fabric) : fabric_(fabric) {}
    /// The tables in `tables` count, also when they are replaced. Both outlive the partitions.
    Partitions(const Fabric& fabric, const ManagerTables& tables)
        : fabric_(fabric), tables_(&tables) {}

    /// There is a table of partitions.
    [[nodiscard]] bool AreConfigured() const {
        return tables_ != nullptr && !tables_->partitions.empty();
    }

    // Ports are rows of the port table; the port of a node that is gone is in no partition.

    /// Ports `one` and `other` may communicate: they share a partition. A port may with itself.
    [[nodiscard]] bool Share(PortIndex one, PortIndex other) const {
        if (AreConfigured()) return ShareConfigured(one, other);
        return IsLive(one) && IsLive(other);
    }
    /// The ports may communicate in the partition of `p_key`, whichever membership it says.
    [[nodiscard]] bool Share(PortIndex one, PortIndex other, std::uint16_t p_key) const {
        if (AreConfigured()) return ShareConfigured(one, other, p_key);
        return SamePartition(p_key, kDefaultPKey) && IsLive(one) && IsLive(other);
    }
    /// `port` is in the partition of `p_key`, whichever membership it says.
    [[nodiscard]] bool Holds(PortIndex port, std::uint16_t p_key) const {
        if (AreConfigured()) return Find(port, p_key).membership != Membership::kNone;
        return SamePartition(p_key, kDefaultPKey) && IsLive(port);
    }
    /// The P_Key by which `one` sends to `other` in the partition with the lowest base that lets
    /// it; kNoPKey: there is none. A limited member may not send to itself.
    [[nodiscard]] std::uint16_t First(PortIndex one, PortIndex other) const {
        if (AreConfigured()) return FirstConfigured(one, other);
        return IsLive(one) && IsLive(other) ? kDefaultPKey : kNoPKey;
    }

    /// A port that sends `p_key`, or takes it from packets, in just this form may communicate with
    /// `port`: two limited members may not.
    [[nodiscard]] bool Reaches(std::uint16_t p_key, PortIndex port) const {
        if (!NamesPartition(p_key)) return false;
        return MayCommunicate(FormOf(p_key), Find(port, p_key).membership);
    }
    /// As Share(one, other), of a port that is gone, whose PortGUID and kind of node are known.
    [[nodiscard]] bool ShareWithDeparted(PortIndex one, Guid other, NodeType type) const;

    /// The place of `port` in the partition of `p_key`, whichever membership that says; its
    /// membership is kNone where it is no member.
    [[nodiscard]] PortPartition Find(PortIndex port, std::uint16_t p_key) const;

    /// All partitions of `port`.
    [[nodiscard]] PartitionWalk Of(PortIndex port) const;

    /// The row of the partition of `p_key`; nullptr: there is none.
    [[nodiscard]] const PartitionRow* RowOf(std::uint16_t p_key) const;

    /// The base of the P_Key that stands at index 0 of the port's table; see FirstPartition.
    /// kNoPKey: the port is in neither. Takes a walk over the port's partitions.
    [[nodiscard]] std::uint16_t FirstOf(PortIndex port) const;

private:
    [[nodiscard]] bool IsLive(PortIndex port) const { return fabric_.port(port).node != kNoNode; }
    /// The rows of a class.
    [[nodiscard]] std::span<const PartitionClass> RowsOf(PortClass ports) const;
    [[nodiscard]] bool ShareConfigured(PortIndex one, PortIndex other) const;
    [[nodiscard]] bool ShareConfigured(PortIndex one, PortIndex other, std::uint16_t p_key) const;
    [[nodiscard]] std::uint16_t FirstConfigured(PortIndex one, PortIndex other) const;
    /// The partitions of an end port, configured ones.
    [[nodiscard]] PartitionWalk WalkOf(Guid guid, NodeType type, bool is_own) const;

    const Fabric& fabric_;
    const ManagerTables* tables_ = nullptr;
};

}  // namespace ember
