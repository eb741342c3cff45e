// SPDX-License-Identifier: Apache-2.0
// EmberSM: what clients registered, in the text form of OpenSM 3.3.23.

#include <cstdint>
#include <span>

#include "core/wire/guid_info.h"
#include "platform/linux/dump/dump_text.h"

namespace ember {

namespace {

/// The sections of the file, in OpenSM's order; DumpCursor::section.
enum Section : std::uint8_t { kAliases, kGroups, kSubscriptions, kServices, kEnd };

constexpr std::size_t kMembersPerPiece = 64;
constexpr std::uint8_t kExactly = 2;  // Of the selectors before MTU, rate and packet lifetime.

/// "=0x", and at least so many digits.
void AddField(FixedText& text, std::string_view name, std::uint64_t value, unsigned digits = 1) {
    text.Add(name).Add("=0x").AddHex(value, digits);
}

void AddGid(FixedText& text, std::string_view name, const Gid& gid) {
    AddField(text, name, gid.high, 16);
    text.Add(":0x").AddHex(gid.low, 16);
}

void NextSection(DumpCursor& cursor) {
    cursor = {0, 0, 0, static_cast<std::uint8_t>(cursor.section + 1)};
}

std::uint64_t Selected(std::uint8_t code) {
    return static_cast<std::uint64_t>(kExactly << 6U | code);
}

/// Blocks of one port's GUID table, if anything but the burnt-in GUID is in it.
void AddGuidTable(const DumpView& view, const Port& port, FixedText& text) {
    const unsigned places = port.info.Get(PortInfo::kGuidCap);
    const auto at = [&](unsigned place) {
        return place == 0 ? port.guid
                          : view.aliases.At(port.guid, static_cast<std::uint8_t>(place));
    };
    unsigned top = 0;
    for (unsigned place = 1; place < places; ++place) {
        if (at(place) != kNoGuid) top = place;
    }
    if (top == 0) return;
    for (unsigned first = 0; first < places; first += GuidInfo::kEntries) {
        text.Add("GUIDInfo Record:");
        AddField(text, " base_guid", Raw(port.guid), 16);
        AddField(text, " lid", Raw(port.lid), 4);
        AddField(text, " block_num", first / GuidInfo::kEntries);
        for (unsigned i = 0; i < GuidInfo::kEntries; ++i) {
            text.Add(" guid").AddNumber(i);
            AddField(text, "", first + i < places ? Raw(at(first + i)) : 0, 16);
        }
        text.Add("\n\n");
    }
}

void AddAliases(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (view.aliases.count() == 0 || cursor.row >= view.nodes.size()) return NextSection(cursor);
    const Node& node = view.fabric.node(view.nodes[cursor.row]);
    const std::size_t ports = node.type == NodeType::kSwitch ? 1 : node.port_count;
    if (cursor.column >= ports) {
        cursor = {cursor.row + 1, 0, 0, cursor.section};
        return;
    }
    const auto at = static_cast<PortIndex>(Raw(node.first_port) + cursor.column++);
    AddGuidTable(view, view.fabric.port(at), text);
}

void AddGroup(const DumpView& view, const Group& group, FixedText& text) {
    const GroupValues& values = group.values;
    const bool has_members = group.first != kNoMember && !group.is_well_known;
    const Gid whose = has_members
                          ? Gid{view.subnet_prefix, Raw(view.groups.member(group.first).port_guid)}
                          : Gid{};
    const std::uint32_t sl_flow_hop =
        std::uint32_t{values.sl} << 28U | values.flow_label << 8U | values.hop_limit;
    text.Add("MC Group 0x").AddHex(Raw(LidOf(group.mlid)), 4).Add(' ');
    text.Add(group.is_well_known ? " (well known)" : "").Add(':');
    AddGid(text, " mgid", group.mgid);
    AddGid(text, " port_gid", whose);
    AddField(text, " qkey", values.q_key, 8);
    AddField(text, " mlid", Raw(LidOf(group.mlid)), 4);
    AddField(text, " mtu", Selected(static_cast<std::uint8_t>(values.mtu)), 2);
    AddField(text, " tclass", values.t_class, 2);
    AddField(text, " pkey", values.p_key, 4);
    AddField(text, " rate", Selected(static_cast<std::uint8_t>(values.rate)), 2);
    AddField(text, " pkt_life", Selected(values.packet_life_time), 2);
    AddField(text, " sl_flow_hop", sl_flow_hop, 8);
    AddField(text, " scope_state", std::uint64_t{values.scope} << 4U | join_state::kFull, 2);
    text.Add(" proxy_join=0x0\n\n");
}

/// The n-th group of a multicast LID; kNoGroup: there are fewer.
GroupIndex NthOf(const Groups& groups, MlidIndex mlid, std::size_t n) {
    GroupIndex at = groups.mlid(mlid).first;
    for (std::size_t i = 0; i < n && at != kNoGroup; ++i) {
        at = groups.group(at).next;
    }
    return at;
}

/// A group and its first members, or more of its members; the cursor counts those that are told.
void AddGroups(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.groups.mlid_bound()) return NextSection(cursor);
    const GroupIndex at = NthOf(view.groups, static_cast<MlidIndex>(cursor.row), cursor.column);
    if (at == kNoGroup) {
        cursor = {cursor.row + 1, 0, 0, cursor.section};
        return;
    }
    const Group& group = view.groups.group(at);
    if (cursor.item == 0) AddGroup(view, group, text);
    MemberIndex who = group.first;
    for (std::size_t i = 0; i < cursor.item && who != kNoMember; ++i) {
        who = view.groups.member(who).next;
    }
    for (std::size_t i = 0; i < kMembersPerPiece && who != kNoMember; ++i, ++cursor.item) {
        const Member& member = view.groups.member(who);
        text.Add("mcm_port:");
        AddGid(text, " port_gid", {view.subnet_prefix, Raw(member.port_guid)});
        AddField(text, " scope_state", std::uint64_t{group.values.scope} << 4U | member.join_state,
                 2);
        AddField(text, " proxy_join", member.is_proxied ? 1 : 0);
        text.Add("\n\n");
        who = member.next;
    }
    if (who == kNoMember) cursor = {cursor.row, cursor.column + 1, 0, cursor.section};
}

/// The latest first, as far as rows were not given back.
void AddSubscription(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.subscriptions.bound()) return NextSection(cursor);
    const auto at = static_cast<SubscriptionIndex>(view.subscriptions.bound() - ++cursor.row);
    if (!view.subscriptions.IsLive(at)) return;
    const Subscription& row = view.subscriptions.row(at);
    const InformInfo& info = row.info;
    const PortIndex port = view.fabric.FindPort(row.subscriber);
    const unsigned lid =
        port == kNoPortIndex ? 0 : Raw(view.fabric.port(port).lid) + unsigned{row.path_bits};
    const std::uint32_t qpn = info.Get(InformInfo::kQpn);
    text.Add("InformInfo Record:");
    AddGid(text, " subscriber_gid", {view.subnet_prefix, Raw(row.subscriber)});
    text.Add(" subscriber_enum=0x0 InformInfo:");
    AddGid(text, " gid", info.gid());
    AddField(text, " lid_range_begin", Raw(info.Get(InformInfo::kLidRangeBegin)));
    AddField(text, " lid_range_end", Raw(info.Get(InformInfo::kLidRangeEnd)));
    AddField(text, " is_generic", info.Get(InformInfo::kIsGeneric));
    AddField(text, " subscribe", info.Get(InformInfo::kSubscribe));
    AddField(text, " trap_type", info.Get(InformInfo::kType));
    AddField(text, " trap_num", info.Get(InformInfo::kTrapNumber));
    AddField(text, " qpn_resp_time_val", qpn << 8U | info.Get(InformInfo::kRespTimeValue));
    AddField(text, " node_type", info.Get(InformInfo::kProducerType), 6);
    text.Add(" rep_addr:");
    AddField(text, " lid", lid, 4);
    text.Add(" path_bits=0x00 static_rate=0x00");
    AddField(text, " remote_qp", qpn, 8);
    text.Add(" remote_qkey=0x00000000 pkey_ix=0x0000");
    AddField(text, " sl", row.service_level, 2);
    text.Add("\n\n");
}

/// Two halves with a colon between: words of any width look the same.
void AddWords(FixedText& text, std::span<const std::uint8_t> octets) {
    for (std::size_t i = 0; i < octets.size(); ++i) {
        if (i == octets.size() / 2) text.Add(':');
        if (i % (octets.size() / 2) == 0) text.Add("0x");
        text.AddHex(octets[i], 2);
    }
}

void AddService(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    if (cursor.row >= view.services.bound()) return NextSection(cursor);
    const auto at = static_cast<ServiceIndex>(view.services.bound() - ++cursor.row);
    if (!view.services.IsLive(at)) return;
    const ServiceRecord& record = view.services.row(at).record;
    const std::uint32_t left = view.services.Shown(at).Get(ServiceRecord::kServiceLease);
    const std::span<const std::uint8_t> octets = record.octets();
    const auto part = [&](auto place) { return octets.subspan(place.bit / 8U, place.width / 8U); };
    text.Add("Service Record:");
    AddField(text, " id", record.Get(ServiceRecord::kServiceId), 16);
    AddGid(text, " gid", record.gid());
    AddField(text, " pkey", record.Get(ServiceRecord::kServicePKey));
    AddField(text, " lease", record.Get(ServiceRecord::kServiceLease));
    AddWords(text.Add(" key="), part(ServiceRecord::kServiceKey));
    text.Add(" name='");
    for (const std::uint8_t octet : part(ServiceRecord::kServiceName)) {
        if (octet == 0) break;
        // A client's text shall not end the line, nor the name.
        const bool is_plain = octet >= 0x20 && octet < 0x7F && octet != '\'';
        text.Add(is_plain ? static_cast<char>(octet) : '?');
    }
    AddWords(text.Add("' data8="), part(ServiceRecord::kServiceData8));
    AddWords(text.Add(" data16="), part(ServiceRecord::kServiceData16));
    AddWords(text.Add(" data32="), part(ServiceRecord::kServiceData32));
    AddWords(text.Add(" data64="), part(ServiceRecord::kServiceData64));
    // The period is what was left at that time.
    AddField(text, " modified_time", view.unix_s);
    AddField(text, " lease_period", left);
    text.Add("\n\n");
}

}  // namespace

bool AddRegistrations(const DumpView& view, DumpCursor& cursor, FixedText& text) {
    switch (cursor.section) {
        case kAliases:
            AddAliases(view, cursor, text);
            break;
        case kGroups:
            AddGroups(view, cursor, text);
            break;
        case kSubscriptions:
            AddSubscription(view, cursor, text);
            break;
        case kServices:
            AddService(view, cursor, text);
            break;
        default:
            return false;
    }
    return cursor.section != kEnd;
}

}  // namespace ember
