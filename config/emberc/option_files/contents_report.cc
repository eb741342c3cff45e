// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, for people.
#include "config/emberc/option_files/contents_report.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/line_reader.h"
#include "core/administration/sa_frames.h"

namespace ember::emberc {
namespace {

constexpr std::size_t kFew = 4;
constexpr std::uint8_t kNothing = 255;

/// One file, its entries as text.
struct Listing {
    std::string_view option;
    std::string_view what;  ///< Its entries, in the plural.
    std::size_t count = 0;
    std::vector<std::string> entries;  ///< Not more than asked for.
};

std::string FormatPorts(const std::vector<PortNumber>& ports) {
    std::string out;
    for (const PortNumber port : ports) {
        out += fmt::format(" {}", Raw(port));
    }
    return out;
}

std::string Format(Guid guid) {
    return Hex(guid);
}
std::string Format(const GuidNumber& row) {
    return fmt::format("{} {}", Hex(row.guid), row.number);
}
std::string Format(const HopWeight& row) {
    return fmt::format("{} {} {}", Hex(row.guid), Raw(row.port), row.hops);
}
std::string Format(const SwitchPort& row) {
    return fmt::format("{} {}", Hex(row.guid), Raw(row.port));
}
std::string Format(const PrefixRoute& row) {
    const auto part = [](std::uint64_t number) {
        return number == 0 ? std::string("*") : fmt::format("{:#018x}", number);
    };
    return part(row.prefix) + " " + part(Raw(row.router));
}
std::string Format(const NamedNode& row) {
    return fmt::format("{} \"{}\"", Hex(row.guid), row.name);
}
std::string Format(const SearchOrder& row) {
    return Hex(row.guid) + FormatPorts(row.ports);
}

/// A switch and its LIDs, each with its port.
std::string Format(const LoadedLfts::Switch& one) {
    std::string out = Hex(one.guid) + ":";
    for (std::size_t lid = 0; lid < one.ports.size(); ++lid) {
        if (one.ports[lid] != kNothing) out += fmt::format(" {:#x}={}", lid, one.ports[lid]);
    }
    return out;
}

/// A switch and its LIDs, each with its least hops.
std::string Format(const LoadedMatrix::Switch& one) {
    const std::size_t width = one.port_count + std::size_t{1};
    std::string out = fmt::format("{} ({} ports):", Hex(one.guid), one.port_count);
    for (std::size_t lid = 0; lid < one.hops.size() / width; ++lid) {
        const auto row = one.hops.begin() + static_cast<std::ptrdiff_t>(lid * width);
        const std::uint8_t least = *std::min_element(row, row + static_cast<std::ptrdiff_t>(width));
        if (least != kNothing) out += fmt::format(" {:#x}={}", lid, least);
    }
    return out;
}

std::string Format(const Gid& gid) {
    return fmt::format("{:#018x}:{:#018x}", gid.high, gid.low);
}

template <WireStruct Body>
Body BodyOf(const SaEntry& entry) {
    Body body;
    std::memcpy(&body, entry.body.data(), sizeof(body));  // ReadFrame() has seen its size.
    return body;
}

std::string Format(const SaEntry& entry) {
    switch (entry.kind) {
        case SaEntryKind::kGroup: {
            const auto group = BodyOf<GroupEntry>(entry);
            return fmt::format("group {} mlid {:#x} pkey {:#06x}{}", Format(group.mgid.gid()),
                               Raw(Lid{group.mlid}), std::uint16_t{group.p_key},
                               group.is_well_known != 0 ? " (well known)" : "");
        }
        case SaEntryKind::kMember: {
            const auto member = BodyOf<MemberEntry>(entry);
            return fmt::format("member {} of group {}, state {:#x}", Hex(member.port_guid),
                               Format(member.mgid.gid()), unsigned{member.join_state});
        }
        case SaEntryKind::kAlias: {
            const auto alias = BodyOf<AliasEntry>(entry);
            return fmt::format("alias {} of {}, place {}", Hex(alias.alias), Hex(alias.port),
                               unsigned{alias.place});
        }
        case SaEntryKind::kService: {
            const auto service = BodyOf<ServiceEntry>(entry);
            return fmt::format("service {:#018x} at {}",
                               service.record.Get(ServiceRecord::kServiceId),
                               Format(service.record.gid()));
        }
        case SaEntryKind::kSubscription: {
            const auto subscription = BodyOf<SubscriptionEntry>(entry);
            return fmt::format("subscription of {} to trap {}", Hex(subscription.subscriber),
                               subscription.info.Get(InformInfo::kTrapNumber));
        }
        case SaEntryKind::kComplete:
        case SaEntryKind::kGroupGone:
        case SaEntryKind::kMemberGone:
        case SaEntryKind::kAliasGone:
        case SaEntryKind::kServiceGone:
        case SaEntryKind::kSubscriptionGone:
            break;
    }
    return {};
}

/// The entries of a journal but for its end.
std::vector<SaEntry> EntriesOf(std::span<const std::byte> journal) {
    std::vector<SaEntry> entries;
    while (!journal.empty()) {
        const Result<SaFrame> frame = ReadFrame(journal);
        if (!frame.ok()) break;
        for (std::span<const std::byte> rest = frame.value().entries; !rest.empty();) {
            const SaEntry entry = TakeEntry(rest).value();
            if (entry.kind != SaEntryKind::kComplete) entries.push_back(entry);
        }
        journal = journal.subspan(frame.value().bytes());
    }
    return entries;
}

template <typename Entry>
Listing List(std::string_view option,
             std::string_view what,
             const std::vector<Entry>& entries,
             std::size_t most) {
    Listing listing{option, what, entries.size(), {}};
    for (std::size_t i = 0; i < std::min(entries.size(), most); ++i) {
        listing.entries.push_back(Format(entries[i]));
    }
    return listing;
}

std::vector<Listing> ListAll(const OptionContents& from, bool all) {
    const std::size_t most = all ? std::numeric_limits<std::size_t>::max() : kFew;
    std::vector<Listing> listings;
    const auto add = [&listings, most](std::string_view option, std::string_view what,
                                       const auto& entries) {
        if (entries) listings.push_back(List(option, what, *entries, most));
    };
    add("root_guid_file", "GUIDs", from.roots);
    add("ids_guid_file", "switches", from.ids);
    add("cn_guid_file", "GUIDs", from.compute_nodes);
    add("io_guid_file", "GUIDs", from.io_nodes);
    add("guid_routing_order_file", "GUIDs", from.routing_order);
    add("hop_weights_file", "ports", from.hop_weights);
    add("port_prof_ignore_file", "ports", from.ignored);
    add("port_search_ordering_file", "switches", from.search);
    add("edge_ports", "ports", from.edge_ports);
    if (from.lfts) {
        listings.push_back(List("lfts_file", "switches", from.lfts->switches, most));
    }
    if (from.matrix) {
        listings.push_back(List("lid_matrix_dump_file", "switches", from.matrix->switches, most));
    }
    add("prefix_routes_file", "prefixes", from.prefix_routes);
    add("node_name_map_name", "names", from.node_names);
    if (from.registrations) {
        listings.push_back(List("sa_db_file", "records", EntriesOf(*from.registrations), most));
    }
    return listings;
}

}  // namespace

std::string ContentsAsText(const OptionContents& contents, bool all) {
    std::string out;
    for (const Listing& listing : ListAll(contents, all)) {
        out += fmt::format("# {}: {} {}\n", listing.option, listing.count, listing.what);
        for (const std::string& entry : listing.entries) {
            out += fmt::format("#     {}\n", entry);
        }
        if (listing.entries.size() == listing.count) continue;
        out += fmt::format("#     ... and {} more (--all shows them)\n",
                           listing.count - listing.entries.size());
    }
    return out;
}

nlohmann::json ContentsAsJson(const OptionContents& contents, bool all) {
    nlohmann::json out = nlohmann::json::object();
    for (const Listing& listing : ListAll(contents, all)) {
        out[std::string(listing.option)] = {{"count", listing.count}, {"entries", listing.entries}};
    }
    return out;
}

}  // namespace ember::emberc
