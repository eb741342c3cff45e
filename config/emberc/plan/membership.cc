// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports of a planned fabric are in which partitions.
#include "config/emberc/plan/membership.h"

#include <algorithm>
#include <map>

#include "config/emberc/numbers.h"

namespace ember::plan {
namespace {

/// The partitions that a port is in, each with its membership.
using Signature = std::vector<std::uint32_t>;

[[nodiscard]] constexpr std::uint32_t Packed(const PortPartition& partition) {
    return std::uint32_t{partition.p_key} << 8U | static_cast<std::uint32_t>(partition.membership);
}

[[nodiscard]] Signature SignatureOf(const Partitions& partitions, PortIndex at) {
    Signature signature;
    PortPartition one;
    for (PartitionWalk walk = partitions.Of(at); walk.Next(one);) {
        if (one.membership != Membership::kNone) signature.push_back(Packed(one));
    }
    return signature;
}

std::vector<PartitionColumn> ColumnsOf(const ManagerTables& tables) {
    std::vector<PartitionColumn> columns;
    for (const PartitionRow& row : tables.partitions) {
        const auto octets = tables.partition_names.subspan(row.first, row.octets);
        columns.push_back({.p_key = row.p_key,
                           .name = std::string(octets.begin(), octets.end()),
                           .line = row.line});
    }
    return columns;
}

/// Spreads a signature over the columns, and counts its ports there.
void Settle(const Signature& signature, std::vector<PartitionColumn>& columns, PortKind& kind) {
    kind.in.assign(columns.size(), Membership::kNone);
    std::size_t column = 0;
    for (const std::uint32_t one : signature) {
        while (columns[column].p_key != one >> 8U) {  // Both ascend.
            ++column;
        }
        const auto membership = static_cast<Membership>(one & 0xFFU);
        kind.in[column] = membership;
        if (membership == Membership::kLimited) {
            columns[column].limited += kind.ports;
        } else {
            columns[column].full += kind.ports;
        }
    }
}

}  // namespace

bool PortKind::is_isolated() const {
    return std::all_of(in.begin(), in.end(),
                       [](Membership one) { return one == Membership::kNone; });
}

MembershipMatrix MembershipOf(const Planned& plan, const Settings& settings) {
    MembershipMatrix matrix;
    const Partitions partitions(plan.fabric(), settings.manager_tables);
    if (!partitions.AreConfigured()) return matrix;
    matrix.partitions = ColumnsOf(settings.manager_tables);
    struct Ends {
        std::size_t ports = 0;
        Guid first = kNoGuid;
        Guid last = kNoGuid;
    };
    std::map<Signature, Ends, emberc::IsBefore> kinds;
    ForEachEndPort(plan.fabric(), [&](PortIndex at, const Port& port) {
        if (port.lid == kNoLid) return;
        Ends& ends = kinds[SignatureOf(partitions, at)];
        if (ends.ports++ == 0) ends.first = port.guid;
        ends.last = port.guid;
    });
    for (const auto& [signature, ends] : kinds) {
        PortKind kind{.ports = ends.ports,
                      .first = plan.NameOf(ends.first),
                      .last = plan.NameOf(ends.last),
                      .in = {}};
        Settle(signature, matrix.partitions, kind);
        matrix.kinds.push_back(std::move(kind));
    }
    std::stable_sort(matrix.kinds.begin(), matrix.kinds.end(),
                     [](const PortKind& one, const PortKind& other) {
                         if (one.is_isolated() != other.is_isolated()) return one.is_isolated();
                         return one.ports > other.ports;
                     });
    return matrix;
}

}  // namespace ember::plan
