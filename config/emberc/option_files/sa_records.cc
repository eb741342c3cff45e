// SPDX-License-Identifier: Apache-2.0
// EmberSM: the records of opensm-sa.dump, a line each, and their fields.
#include "config/emberc/option_files/sa_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

#include "config/emberc/option_files/dump_lines.h"
#include "core/base/time.h"
#include "core/multicast/groups.h"
#include "core/partitions/partitions.h"
#include "core/wire/guid_info.h"

namespace ember::emberc {
namespace {

bool IsBlank(char c) {
    return c == ' ' || c == '\t';
}

}  // namespace

RecordFields::RecordFields(LineReader& reader) : reader_(reader), line_(reader.line()) {
    SkipBlanks();
}

void RecordFields::Error(const Word& at, Code code, std::string text) {
    if (is_ok_) reader_.Error(at, code, std::move(text));
    is_ok_ = false;
}

void RecordFields::Warn(const Word& at, Code code, std::string text) {
    if (is_ok_) reader_.Report(Severity::kWarning, at, code, std::move(text));
}

void RecordFields::SkipBlanks() {
    while (at_ < line_.size() && IsBlank(line_[at_])) {
        ++at_;
    }
}

Word RecordFields::WordHere() const {
    const std::string_view text = rest();
    return {text.substr(0, text.find_first_of(" \t")), at_};
}

bool RecordFields::Take(std::string_view text) {
    if (!is_ok_ || !rest().starts_with(text)) return false;
    last_ = {rest().substr(0, text.size()), at_};
    at_ += text.size();
    SkipBlanks();
    return true;
}

void RecordFields::Expect(std::string_view text) {
    if (Take(text)) return;
    Error(WordHere(), Code::kMissingValue, fmt::format("'{}' is expected here", text));
}

bool RecordFields::TakeName(std::string_view name) {
    const bool is_here = is_ok_ && rest().starts_with(name) && rest().substr(name.size(), 1) == "=";
    if (is_here) {
        at_ += name.size() + 1;
        return true;
    }
    Error(WordHere(), Code::kMissingValue, fmt::format("'{}=' is expected here", name));
    return false;
}

std::uint64_t RecordFields::Digits(std::string_view name, char end) {
    if (!is_ok_) return 0;
    const std::optional<LeadingNumber> number = ReadHex(rest());
    const std::string_view behind = number ? number->rest : std::string_view{};
    const bool ends = behind.empty()
                          ? end == '\0'
                          : (end == '\0' ? IsBlank(behind.front()) : behind.front() == end);
    if (!number || !ends) {
        Error(WordHere(), Code::kBadNumber,
              fmt::format("'{}' has 0x and up to 16 hexadecimal digits{}", name,
                          end == '\0' ? "" : fmt::format(", then '{}' and as many again", end)));
        return 0;
    }
    last_ = {number->digits, at_};
    at_ += number->digits.size() + (end == '\0' ? 0 : 1);
    return number->value;
}

std::uint64_t RecordFields::Number(std::string_view what, std::uint64_t max) {
    const std::uint64_t value = Digits(what, '\0');
    if (value > max) {
        Error(last_, Code::kOutOfRange,
              fmt::format("{} {:#x} is not in 0x0..{:#x}", what, value, max));
    }
    SkipBlanks();
    return is_ok_ ? value : 0;
}

std::uint64_t RecordFields::Field(std::string_view name, std::uint64_t max) {
    return TakeName(name) ? Number(name, max) : 0;
}

Gid RecordFields::GidField(std::string_view name) {
    if (!TakeName(name)) return {};
    const std::size_t begin = at_;
    Gid gid;
    gid.high = Digits(name, ':');
    gid.low = Digits(name, '\0');
    if (is_ok_) last_ = {line_.substr(begin, at_ - begin), begin};
    SkipBlanks();
    return gid;
}

void RecordFields::OctetsField(std::string_view name, std::span<std::uint8_t> octets) {
    const Gid halves = GidField(name);
    const std::size_t half = octets.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {  // The most significant octet first.
        const std::size_t shift = 8 * (half - 1 - i);
        octets[i] = static_cast<std::uint8_t>(halves.high >> shift);
        octets[half + i] = static_cast<std::uint8_t>(halves.low >> shift);
    }
}

void RecordFields::TextField(std::string_view name, std::string_view behind,
                             std::span<std::uint8_t> octets) {
    if (!TakeName(name)) return;
    // The text may have quotation marks in it, so what ends it is what follows it.
    const std::size_t end = line_.rfind(fmt::format("' {}", behind));
    const bool is_quoted = rest().starts_with('\'') && end != std::string_view::npos && end > at_;
    if (!is_quoted) {
        return Error(
            WordHere(), Code::kBadText,
            fmt::format("'{}' has its text between two ', and '{}' behind it", name, behind));
    }
    last_ = {line_.substr(at_ + 1, end - at_ - 1), at_ + 1};
    if (last_.text.size() > octets.size()) {
        return Error(last_, Code::kTooLong,
                     fmt::format("'{}' has room for {} octets", name, octets.size()));
    }
    std::transform(last_.text.begin(), last_.text.end(), octets.begin(),
                   [](char c) { return static_cast<std::uint8_t>(c); });
    at_ = end + 1;
    SkipBlanks();
}

void RecordFields::ExpectEnd() {
    if (!is_ok_ || rest().empty()) return;
    Error({rest(), at_}, Code::kTrailingText, "the record ends before this");
}

namespace {

constexpr std::uint64_t kOctet = 0xFF;
constexpr std::uint64_t kWord = 0xFFFF;
constexpr std::uint64_t kTriple = 0xFFFFFF;
constexpr std::uint64_t kDouble = 0xFFFFFFFF;
constexpr std::uint64_t kAny = ~std::uint64_t{0};
constexpr std::uint64_t kLastInstant = 0xFFFFFFFFFF;  // Seconds: far beyond the year 30,000.
constexpr unsigned kCodeBits = 0x3F;  // Of MTU, rate and packet lifetime; a selector stands above.

/// A GID of a port here.
Gid PortGid(RecordFields& fields, std::string_view name, const SubnetFacts& subnet) {
    const Gid gid = fields.GidField(name);
    if (!fields.ok()) return {};
    if (gid.high != subnet.prefix) {
        fields.Error(
            fields.last(), Code::kOtherSubnet,
            fmt::format("the GID is not of this subnet: subnet_prefix is {:#018x}", subnet.prefix));
    } else if (gid.low == 0) {
        fields.Error(fields.last(), Code::kOutOfRange, "0 is nobody's GUID");
    }
    return gid;
}

/// The code behind a selector, held to what `is_one` says.
template <typename IsOne>
std::uint8_t Code(RecordFields& fields, std::string_view name, const IsOne& is_one) {
    const std::uint64_t value = fields.Field(name, kOctet);
    const auto code = static_cast<std::uint8_t>(value & kCodeBits);
    if (fields.ok() && !is_one(code)) {
        fields.Error(fields.last(), Code::kOutOfRange,
                     fmt::format("{:#x} is no {} that there is", code, name));
    }
    return code;
}

std::uint16_t GroupPKey(RecordFields& fields) {
    const auto p_key = static_cast<std::uint16_t>(fields.Field("pkey", kWord));
    if (!fields.ok()) return 0;
    if (!NamesPartition(p_key)) {
        fields.Error(fields.last(), Code::kOutOfRange, fmt::format("{:#x} is no P_Key", p_key));
    } else if (!SamePartition(p_key, kDefaultPKey)) {
        fields.Warn(fields.last(), Code::kOtherPartition,
                    "EmberSM manages the default partition only: ports are in no other");
    }
    return p_key;
}

/// The MLID before the colon, which the line tells again.
std::uint16_t ReadTitle(RecordFields& fields, bool& is_well_known) {
    const std::uint64_t mlid = fields.Number("the multicast LID", kWord);
    if (fields.ok() && MlidOf(static_cast<Lid>(mlid)) == kNoMlid) {
        fields.Error(fields.last(), Code::kOutOfRange,
                     fmt::format("{:#x} is no multicast LID: they are 0xc000..0xfffe", mlid));
    }
    is_well_known = fields.Take("(well known)");
    fields.Expect(":");
    return static_cast<std::uint16_t>(mlid);
}

void ReadGroupValues(RecordFields& fields, GroupEntry& group) {
    group.mtu = static_cast<Mtu>(Code(fields, "mtu", [](std::uint8_t code) {
        return code >= Raw(Mtu::k256) && code <= Raw(Mtu::k4096);
    }));
    group.t_class = static_cast<std::uint8_t>(fields.Field("tclass", kOctet));
    group.p_key = GroupPKey(fields);
    group.rate = static_cast<Rate>(
        Code(fields, "rate", [](std::uint8_t code) { return IsRate(static_cast<Rate>(code)); }));
    group.packet_life_time = Code(fields, "pkt_life", [](std::uint8_t) { return true; });
    const std::uint64_t sl_flow_hop = fields.Field("sl_flow_hop", kDouble);
    group.sl = static_cast<std::uint8_t>(sl_flow_hop >> 28U);
    group.flow_label = static_cast<std::uint32_t>(sl_flow_hop >> 8U & 0xFFFFFU);
    group.hop_limit = static_cast<std::uint8_t>(sl_flow_hop & kOctet);
    group.scope = static_cast<std::uint8_t>(fields.Field("scope_state", kOctet) >> 4U);
    fields.Field("proxy_join", kOctet);
}

}  // namespace

std::optional<GroupEntry> ReadGroup(RecordFields& fields) {
    GroupEntry group;
    bool is_well_known = false;
    const std::uint16_t title = ReadTitle(fields, is_well_known);
    group.is_well_known = static_cast<std::uint8_t>(is_well_known ? 1 : 0);
    const Gid mgid = fields.GidField("mgid");
    if (fields.ok() && !IsMulticast(mgid)) {
        fields.Error(fields.last(), Code::kOutOfRange, "a multicast GID begins with 0xff");
    }
    group.mgid = mgid;
    fields.GidField("port_gid");
    group.q_key = static_cast<std::uint32_t>(fields.Field("qkey", kDouble));
    const std::uint64_t mlid = fields.Field("mlid", kWord);
    if (fields.ok() && mlid != title) {
        fields.Error(fields.last(), Code::kContradiction,
                     fmt::format("the line begins with multicast LID {:#x}", title));
    }
    group.mlid = static_cast<Lid>(title);
    ReadGroupValues(fields, group);
    fields.ExpectEnd();
    return fields.ok() ? std::optional(group) : std::nullopt;
}

std::optional<MemberEntry> ReadMember(RecordFields& fields, const SubnetFacts& subnet,
                                      const Gid& mgid) {
    MemberEntry member;
    member.mgid = mgid;
    member.port_guid = Guid{PortGid(fields, "port_gid", subnet).low};
    member.owner = member.port_guid;
    member.join_state =
        static_cast<std::uint8_t>(fields.Field("scope_state", kOctet) & join_state::kAll);
    if (fields.ok() && member.join_state == 0) {
        fields.Error(fields.last(), Code::kOutOfRange, "join state 0: it is no member at all");
    }
    member.is_proxied = static_cast<std::uint8_t>(fields.Field("proxy_join", kOctet) != 0 ? 1 : 0);
    fields.ExpectEnd();
    return fields.ok() ? std::optional(member) : std::nullopt;
}

std::optional<std::vector<AliasEntry>> ReadAliases(RecordFields& fields) {
    constexpr std::uint64_t kLastBlock = kOctet / GuidInfo::kEntries;
    std::vector<AliasEntry> aliases;
    const std::uint64_t port = fields.Field("base_guid", kAny);
    if (fields.ok() && port == 0)
        fields.Error(fields.last(), Code::kOutOfRange, "0 is nobody's GUID");
    fields.Field("lid", kWord);
    const std::uint64_t block = fields.Field("block_num", kLastBlock);
    for (std::uint64_t i = 0; i < GuidInfo::kEntries; ++i) {
        const std::uint64_t guid = fields.Field(fmt::format("guid{}", i), kAny);
        const std::uint64_t place = block * GuidInfo::kEntries + i;
        if (place == 0 || guid == 0) continue;  // Place 0 is the port's own GUID.
        AliasEntry alias;
        alias.alias = Guid{guid};
        alias.port = Guid{port};
        alias.place = static_cast<std::uint8_t>(place);
        aliases.push_back(alias);
    }
    fields.ExpectEnd();
    return fields.ok() ? std::optional(aliases) : std::nullopt;
}

std::optional<DumpedService> ReadService(RecordFields& fields, const SubnetFacts& subnet) {
    DumpedService service;
    ServiceRecord& record = service.entry.record;
    const auto part = [&record](auto place) {
        return std::span(record.octets()).subspan(place.bit / 8U, place.width / 8U);
    };
    record.Set(ServiceRecord::kServiceId, fields.Field("id", kAny));
    const Gid gid = PortGid(fields, "gid", subnet);
    record.SetGid(gid);
    service.entry.owner = Guid{gid.low};
    record.Set(ServiceRecord::kServicePKey,
               static_cast<std::uint16_t>(fields.Field("pkey", kWord)));
    record.Set(ServiceRecord::kServiceLease,
               static_cast<std::uint32_t>(fields.Field("lease", kDouble)));
    fields.OctetsField("key", part(ServiceRecord::kServiceKey));
    fields.TextField("name", "data8=", part(ServiceRecord::kServiceName));
    fields.OctetsField("data8", part(ServiceRecord::kServiceData8));
    fields.OctetsField("data16", part(ServiceRecord::kServiceData16));
    fields.OctetsField("data32", part(ServiceRecord::kServiceData32));
    fields.OctetsField("data64", part(ServiceRecord::kServiceData64));
    service.modified_s = fields.Field("modified_time", kLastInstant);
    const std::uint64_t period_s = fields.Field("lease_period", kDouble);
    service.entry.ends_us =
        period_s == ServiceRecord::kForever ? kNever : (service.modified_s + period_s) * kSecondUs;
    fields.ExpectEnd();
    return fields.ok() ? std::optional(service) : std::nullopt;
}

std::optional<SubscriptionEntry> ReadSubscription(RecordFields& fields, const SubnetFacts& subnet) {
    SubscriptionEntry entry;
    InformInfo& info = entry.info;
    entry.subscriber = Guid{PortGid(fields, "subscriber_gid", subnet).low};
    fields.Field("subscriber_enum", kWord);
    fields.Expect("InformInfo:");
    const Gid gid = fields.GidField("gid");
    info.Set(InformInfo::kGidHigh, gid.high);
    info.Set(InformInfo::kGidLow, gid.low);
    info.Set(InformInfo::kLidRangeBegin, static_cast<Lid>(fields.Field("lid_range_begin", kWord)));
    info.Set(InformInfo::kLidRangeEnd, static_cast<Lid>(fields.Field("lid_range_end", kWord)));
    info.Set(InformInfo::kIsGeneric, static_cast<std::uint8_t>(fields.Field("is_generic", kOctet)));
    info.Set(InformInfo::kSubscribe, static_cast<std::uint8_t>(fields.Field("subscribe", kOctet)));
    info.Set(InformInfo::kType, static_cast<std::uint16_t>(fields.Field("trap_type", kWord)));
    info.Set(InformInfo::kTrapNumber, static_cast<std::uint16_t>(fields.Field("trap_num", kWord)));
    const std::uint64_t response = fields.Field("qpn_resp_time_val", kDouble);
    info.Set(InformInfo::kRespTimeValue, static_cast<std::uint8_t>(response & 0x1FU));
    info.Set(InformInfo::kProducerType,
             static_cast<std::uint32_t>(fields.Field("node_type", kTriple)));
    fields.Expect("rep_addr:");
    // Bits of the LID below the LMC are the subscriber's path bits; those of the file are ours.
    const std::uint64_t lid = fields.Field("lid", kWord);
    entry.path_bits = static_cast<std::uint8_t>(lid & ((1U << subnet.lmc) - 1U));
    fields.Field("path_bits", kOctet);
    fields.Field("static_rate", kOctet);
    info.Set(InformInfo::kQpn, static_cast<std::uint32_t>(fields.Field("remote_qp", kTriple)));
    fields.Field("remote_qkey", kDouble);
    fields.Field("pkey_ix", kWord);
    entry.service_level = static_cast<std::uint8_t>(fields.Field("sl", 15));
    fields.ExpectEnd();
    return fields.ok() ? std::optional(entry) : std::nullopt;
}

}  // namespace ember::emberc
