// SPDX-License-Identifier: Apache-2.0
// EmberSM: which ports of a planned fabric are in which partitions, and the table of it in its
// page.
#include "config/emberc/plan/membership.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "config/emberc/numbers.h"
#include "config/emberc/plan/page.h"

namespace ember::plan {
namespace {

/// The partitions that a port is in: of each the P_Key, and in the low octet its membership.
using Signature = std::vector<std::uint32_t>;

[[nodiscard]] Signature SignatureOf(const Partitions& partitions, PortIndex at) {
    Signature signature;
    PortPartition one;
    for (PartitionWalk walk = partitions.Of(at); walk.Next(one);) {
        if (one.membership == Membership::kNone) continue;
        signature.push_back(std::uint32_t{one.p_key} << 8U |
                            static_cast<std::uint32_t>(one.membership));
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

namespace {

/// How a membership is shown: by letter and by color, as not everybody sees both.
struct Sign {
    std::string_view letter;
    std::string_view style;
    std::string_view words;
};
/// By Membership.
constexpr std::array kSigns{Sign{"", "", "no member"}, Sign{"L", "limited", "limited member"},
                            Sign{"F", "full", "full member"},
                            Sign{"B", "full", "full and limited member"}};
static_assert(kSigns.size() == static_cast<std::size_t>(Membership::kBoth) + 1);

std::string TitleOf(const PartitionColumn& column) {
    const std::string name =
        column.name.empty() ? fmt::format("0x{:04x}", column.p_key) : column.name;
    return column.line == 0 ? name : fmt::format("{}, line {}", name, column.line);
}

std::string HeadOf(const MembershipMatrix& matrix, std::size_t shown) {
    std::string text = "<tr><th>ports</th>";
    for (std::size_t i = 0; i < shown; ++i) {
        const PartitionColumn& column = matrix.partitions[i];
        text += fmt::format("<th title=\"{}: {} full, {} limited members\">{}<br/>0x{:04x}</th>",
                            Escape(TitleOf(column)), column.full, column.limited,
                            Escape(column.name), column.p_key);
    }
    return text + "</tr>\n";
}

std::string RowOf(const MembershipMatrix& matrix, const PortKind& kind, std::size_t shown) {
    std::string name = Escape(kind.first);
    if (kind.ports == 2) name += ", " + Escape(kind.last);
    if (kind.ports > 2) name += " ... " + Escape(kind.last);
    std::string text = fmt::format("<tr><td{}>{}: {}</td>",
                                   kind.is_isolated() ? " class=\"bad\"" : "", kind.ports, name);
    for (std::size_t i = 0; i < shown; ++i) {
        const Sign& sign = kSigns[static_cast<std::size_t>(kind.in[i])];
        text += fmt::format("<td class=\"{}\" title=\"{} of {}\">{}</td>", sign.style, sign.words,
                            Escape(TitleOf(matrix.partitions[i])), sign.letter);
    }
    return text + "</tr>\n";
}

std::string RestOf(std::size_t shown, std::size_t all, std::string_view what) {
    if (shown == all) return {};
    return fmt::format("<p class=\"quiet\">{} of {} {} are shown; the JSON document has all.</p>\n",
                       shown, all, what);
}

}  // namespace

std::string MembershipTable(const MembershipMatrix& matrix) {
    std::string text = "<h2>Partitions</h2>\n";
    if (matrix.partitions.empty()) {
        return text +
               "<p>None are configured: every port is a full member of the default "
               "partition.</p>\n";
    }
    const std::size_t columns = std::min(kShownPartitions, matrix.partitions.size());
    const std::size_t rows = std::min(kShownKinds, matrix.kinds.size());
    text += "<div class=\"wide\"><table id=\"membership\">\n" + HeadOf(matrix, columns);
    for (std::size_t i = 0; i < rows; ++i) {
        text += RowOf(matrix, matrix.kinds[i], columns);
    }
    text += "</table></div>\n";
    text += RestOf(columns, matrix.partitions.size(), "partitions");
    text += RestOf(rows, matrix.kinds.size(), "kinds of ports");
    return text +
           "<p class=\"quiet\">A row is all end ports that are alike: their number, the first and "
           "the last. F: full member, L: limited member, B: both. Two ports may talk in a "
           "partition of which one of them at least is a full member. Ports in red are in no "
           "partition.</p>\n";
}

}  // namespace ember::plan
