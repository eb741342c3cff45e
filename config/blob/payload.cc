// SPDX-License-Identifier: Apache-2.0
// EmberSM: the inside of a blob. It is signed, and still nothing in it is believed.
#include "config/blob/payload.h"

#include <bit>

#include "config/blob/engine_words.h"
#include "config/blob/fields.h"
#include "config/schema/settings_generated.h"
#include "core/base/assert.h"

namespace ember {
namespace {

using Octets = flatbuffers::Vector<std::uint8_t>;
using Words = flatbuffers::Vector<std::uint16_t>;
using Guids = flatbuffers::Vector<std::uint64_t>;
using VlWeights = flatbuffers::Vector<const schema::VlWeight*>;

constexpr std::uint32_t kMaxDepth = 8;
constexpr std::uint32_t kMaxTables = 64;
constexpr std::uint32_t kMaxInFlight = 0x7FFFFFFF;

/// Every element at most field.max; at most `count` of them.
bool FitsOctets(const Octets* octets, const SettingField& field, std::size_t count) {
    if (octets == nullptr) return true;
    if (octets->size() > count) return false;
    for (flatbuffers::uoffset_t i = 0; i < octets->size(); ++i) {
        if (octets->Get(i) > field.max) return false;
    }
    return true;
}

bool FitsWords(const Words* words, const SettingField& field, std::size_t count) {
    if (words == nullptr) return true;
    if (words->size() > count) return false;
    for (flatbuffers::uoffset_t i = 0; i < words->size(); ++i) {
        if (words->Get(i) > field.max) return false;
    }
    return true;
}

bool FitsVlWeights(const VlWeights* entries, const SettingField& field) {
    if (entries == nullptr) return true;
    if (entries->size() > kMaxVlWeights) return false;
    for (flatbuffers::uoffset_t i = 0; i < entries->size(); ++i) {
        if (entries->Get(i)->vl() > field.max) return false;
    }
    return true;
}

bool FitsGuids(const Guids* guids, const SettingField& field) {
    if (guids->size() > field.max) return false;
    for (flatbuffers::uoffset_t i = 0; i < guids->size(); ++i) {
        if (guids->Get(i) == 0) return false;
        for (flatbuffers::uoffset_t k = 0; k < i; ++k) {
            if (guids->Get(k) == guids->Get(i)) return false;
        }
    }
    return true;
}

/// What is absent has its default, and defaults fit.
bool Fits(const flatbuffers::Table& table, const SettingField& field, std::uint16_t offset) {
    if (!table.CheckField(offset)) return true;
    switch (field.kind) {
        case FieldKind::kBool:
        case FieldKind::kU8:
        case FieldKind::kChoice:
            return field.Fits(table.GetField<std::uint8_t>(offset, 0));
        case FieldKind::kU16:
        case FieldKind::kShiftMultiplier:
            return field.Fits(table.GetField<std::uint16_t>(offset, 0));
        case FieldKind::kU32:
            return field.Fits(table.GetField<std::uint32_t>(offset, 0));
        case FieldKind::kU64:
            return field.Fits(table.GetField<std::uint64_t>(offset, 0));
        case FieldKind::kI32:
            return field.FitsSigned(table.GetField<std::int32_t>(offset, 0));
        case FieldKind::kText:
            return table.GetPointer<const flatbuffers::String*>(offset)->size() <= field.max;
        case FieldKind::kEngines:
            return FitsOctets(table.GetPointer<const Octets*>(offset), field, 16);
        case FieldKind::kMask256: {
            const auto* const mask = table.GetPointer<const Octets*>(offset);
            return mask->size() == kMaskOctets;
        }
        case FieldKind::kPerSl: {
            const auto* const values = table.GetPointer<const Words*>(offset);
            return values->size() == kServiceLevels && FitsWords(values, field, kServiceLevels);
        }
        case FieldKind::kShiftMultipliers:
            return FitsWords(table.GetPointer<const Words*>(offset), field, kMaxShiftMultipliers);
        case FieldKind::kVlWeights:
            return FitsVlWeights(table.GetPointer<const VlWeights*>(offset), field);
        case FieldKind::kSlToVl: {
            const auto* const lanes = table.GetPointer<const Octets*>(offset);
            return lanes->size() == kServiceLevels && FitsOctets(lanes, field, kServiceLevels);
        }
        case FieldKind::kGuids:
            return FitsGuids(table.GetPointer<const Guids*>(offset), field);
    }
    return false;
}

const flatbuffers::Table& AsTable(const schema::Settings& from) {
    return *std::bit_cast<const flatbuffers::Table*>(&from);
}

/// Copies the list. False: an engine that this release does not have, or one that is there twice.
bool ReadEngines(const schema::Settings& from, Settings& to) {
    to.routing_engine.clear();
    to.no_fallback = false;
    const auto* const engines = from.routing_engine();
    if (engines == nullptr) return true;
    std::uint32_t seen = 0;
    for (flatbuffers::uoffset_t i = 0; i < engines->size(); ++i) {
        const std::uint32_t number = static_cast<std::uint8_t>(engines->Get(i));
        if ((seen >> number & 1U) != 0) return false;
        seen |= 1U << number;
        const EngineWord& word = EngineWords()[number];
        if (word.use == EngineWordUse::kMissing) return false;
        if (word.use == EngineWordUse::kNoFallback) {
            to.no_fallback = true;
        } else if (to.routing_engine.TryPush(word.kind) != Status::kOk) {
            return false;
        }
    }
    return true;
}

std::string_view FirstOutOfRange(const schema::Settings& from) {
    const std::span<const SettingField> fields = SettingsFields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!Fits(AsTable(from), fields[i], FieldOffset(i))) return fields[i].name;
    }
    Settings unused;
    return ReadEngines(from, unused) ? std::string_view{} : "routing_engine";
}

Order OrderOf(schema::Order order) {
    if (order == schema::Order::balanced) return Order::kBalanced;
    return order == schema::Order::guid ? Order::kGuid : Order::kOpensm;
}

void CopyPortSettings(const schema::Settings& from, Settings& to) {
    to.packet_life_time = from.packet_life_time();
    to.subnet_timeout = from.subnet_timeout();
    to.max_op_vls = from.max_op_vls();
    to.vl_stall_count = from.vl_stall_count();
    to.leaf_vl_stall_count = from.leaf_vl_stall_count();
    to.head_of_queue_lifetime = from.head_of_queue_lifetime();
    to.leaf_head_of_queue_lifetime = from.leaf_head_of_queue_lifetime();
    to.force_link_speed = from.force_link_speed();
    to.force_link_speed_ext = from.force_link_speed_ext();
    to.force_link_width = from.force_link_width();
    to.local_phy_errors_threshold = from.local_phy_errors_threshold();
    to.overrun_errors_threshold = from.overrun_errors_threshold();
}

/// 0 in flight means as many as can be; the exchange keeps to what its board can hold.
void CopySendingSettings(const schema::Settings& from, Settings& to) {
    to.sweep_interval = from.sweep_interval();
    to.force_heavy_sweep = from.force_heavy_sweep();
    to.sweep_on_trap = from.sweep_on_trap();
    to.max_wire_smps = from.max_wire_smps() == 0 ? kMaxInFlight : from.max_wire_smps();
    to.max_wire_smps2 = from.max_wire_smps2();
    to.max_smps_timeout = from.max_smps_timeout();
    to.transaction_timeout = from.transaction_timeout();
    to.transaction_retries = from.transaction_retries();
    to.max_msg_fifo_timeout = from.max_msg_fifo_timeout();
    to.sa_max_requests_per_source = from.sa_max_requests_per_source();
    to.sa_allow_proxies = from.sa_allow_proxies();
    to.scrub_interval = from.scrub_interval();
}

void CopyFlappingSettings(const schema::Settings& from, Settings& to) {
    to.flapping_link_policy = from.flapping_link_policy() == schema::FlappingLinkPolicy::damp
                                  ? FlappingLinkPolicy::kDamp
                                  : FlappingLinkPolicy::kQuarantine;
    to.flapping_link_count = from.flapping_link_count();
    to.flapping_link_window = from.flapping_link_window();
    to.flapping_link_hold = from.flapping_link_hold();
    to.babbling_port_policy = from.babbling_port_policy();
}

void CopyRoutingSettings(const schema::Settings& from, Settings& to) {
    (void)ReadEngines(from, to);  // FirstOutOfRange() has tried it.
    to.require_deadlock_free = from.require_deadlock_free();
    to.port_profile_switch_nodes = from.port_profile_switch_nodes();
    to.connect_roots = from.connect_roots();
    to.max_reverse_hops = from.max_reverse_hops();
    to.quasi_ftree_indexing = from.quasi_ftree_indexing();
    to.port_shifting = from.port_shifting();
    to.scatter_ports = from.scatter_ports();
    to.guid_routing_order_no_scatter = from.guid_routing_order_no_scatter();
    to.offsweep_balancing_enabled = from.offsweep_balancing_enabled();
    to.offsweep_balancing_window = from.offsweep_balancing_window();
}

/// FirstOutOfRange() has seen that they fit.
void CopyPeers(const Guids* from, Settings& to) {
    to.sm_peers.clear();
    if (from == nullptr) return;
    for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) {
        const Status pushed = to.sm_peers.TryPush(Guid{from->Get(i)});
        EMBER_ASSERT(pushed == Status::kOk);
    }
}

void CopySettings(const schema::Settings& from, Settings& to) {
    to.guid = Guid{from.guid()};
    to.m_key = from.m_key();
    to.m_key_lease_period = from.m_key_lease_period();
    to.m_key_protection_level = from.m_key_protection_level();
    to.sm_key = from.sm_key();
    to.sa_key = from.sa_key();
    to.subnet_prefix = from.subnet_prefix();
    to.lmc = from.lmc();
    to.lmc_esp0 = from.lmc_esp0();
    to.sm_sl = from.sm_sl();
    to.honor_guid2lid_file = from.honor_guid2lid_file();
    to.reassign_lids = from.reassign_lids();
    to.order = OrderOf(from.order());
    CopyPortSettings(from, to);
    CopySendingSettings(from, to);
    CopyFlappingSettings(from, to);
    CopyRoutingSettings(from, to);
    to.sm_priority = from.sm_priority();
    to.ignore_other_sm = from.ignore_other_sm();
    to.sminfo_polling_timeout = from.sminfo_polling_timeout();
    to.polling_retry_number = from.polling_retry_number();
    to.sm_inactive = from.sm_inactive();
    CopyPeers(from.sm_peers(), to);
    to.no_clients_rereg = from.no_clients_rereg();
    to.disable_multicast = from.disable_multicast();
    to.drop_event_subscriptions = from.drop_event_subscriptions();
    to.use_mfttop = from.use_mfttop();
    to.ipoib_mcgroup_creation_validation = from.ipoib_mcgroup_creation_validation();
    to.mcgroup_join_validation = from.mcgroup_join_validation();
    to.consolidate_ipv6_snm_req = from.consolidate_ipv6_snm_req();
    to.multicast_hold = from.multicast_hold();
    to.max_rate_enum = from.max_rate_enum();
    to.enable_quirks = from.enable_quirks();
    to.sa_db_dump = from.sa_db_dump();
}

}  // namespace

PayloadReport ReadPayload(std::span<const std::byte> payload, OptionRoom room, Settings& settings) {
    PayloadReport report;
    // The Verifier checks alignment relative to the base, not the base itself.
    EMBER_ASSERT(std::bit_cast<std::uintptr_t>(payload.data()) % 8 == 0);
    const auto* const octets = std::bit_cast<const std::uint8_t*>(payload.data());
    if (payload.size() < 8) return report;  // Shorter than its root offset and identifier.
    if (!schema::ConfigurationBufferHasIdentifier(octets)) return report;
    flatbuffers::Verifier verifier(octets, payload.size(), kMaxDepth, kMaxTables);
    if (!schema::VerifyConfigurationBuffer(verifier)) return report;
    const schema::Configuration& root = *schema::GetConfiguration(octets);
    const OptionFilesReport tables = CheckOptionFiles(root.option_files());
    if (!tables.well_formed) return report;

    report.well_formed = true;
    report.schema_version = root.schema_version();
    report.room_bytes = tables.room_bytes;
    report.room_suffices = tables.room_bytes <= room.octets.size();
    report.field_out_of_range = FirstOutOfRange(*root.settings());
    if (report.field_out_of_range.empty()) report.field_out_of_range = tables.out_of_range;
    if (report.accepted()) {
        CopySettings(*root.settings(), settings);
        settings.tables = CopyOptionFiles(root.option_files(), room);
    }
    return report;
}

}  // namespace ember
