// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties: whatever opensm.conf says arrives in Settings, and comes back as it was.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>

#include "config/blob/payload.h"
#include "config/emberc/keys.h"
#include "config/emberc/value_text.h"
#include "config/schema/settings_generated.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Keys;
using emberc::Value;

std::uint64_t AnyNumber(const SettingField& field) {
    if (field.kind == FieldKind::kU64) return *rc::gen::arbitrary<std::uint64_t>();
    const bool other = field.range.also_max != 0 && *rc::gen::arbitrary<bool>();
    if (other) return *rc::gen::inRange(field.range.also_min, field.range.also_max + 1);
    return static_cast<std::uint64_t>(
        *rc::gen::inRange(field.range.min, static_cast<std::int64_t>(field.range.max) + 1));
}

std::vector<std::uint16_t> AnyList(std::size_t least, std::size_t most, int top) {
    const std::size_t count = *rc::gen::inRange(least, most + 1);
    return *rc::gen::container<std::vector<std::uint16_t>>(
        count, rc::gen::map(rc::gen::inRange(0, top + 1),
                            [](int number) { return static_cast<std::uint16_t>(number); }));
}

/// A text that survives the rules of the file: no blanks and no stray marks at its ends, no quotes,
/// no '#'.
std::string AnyText() {
    return "a" +
           *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ019/._-:,"))) +
           "z";
}

Value AnyValue(const SettingField& field) {
    Value value;
    switch (field.kind) {
        case FieldKind::kBool:
        case FieldKind::kU8:
        case FieldKind::kU16:
        case FieldKind::kU32:
        case FieldKind::kU64:
        case FieldKind::kI32:
        case FieldKind::kChoice:
        case FieldKind::kShiftMultiplier:
            value.number = AnyNumber(field);
            break;
        case FieldKind::kText:
            value.text = AnyText();
            if (field.range.min == 0) break;
            value.text += std::string(static_cast<std::size_t>(field.range.min), 'k');
            value.text.resize(
                std::min(value.text.size(), static_cast<std::size_t>(field.range.max)));
            break;
        case FieldKind::kEngines:
            for (const std::uint16_t engine : std::vector<std::uint16_t>{5, 1, 12, 2, 3, 4, 7}) {
                if (*rc::gen::arbitrary<bool>()) value.list.push_back(engine);
            }
            // ftree, minhop, no_fallback, updn, dnup, file, dor. The list always has minhop: `file`
            // alone, without its files, is a contradiction.
            value.set = !value.list.empty();
            if (value.set && std::ranges::find(value.list, 1) == value.list.end()) {
                value.list.push_back(1);
            }
            break;
        case FieldKind::kMask256:
            value.list = AnyList(kMaskOctets, kMaskOctets, 255);
            break;
        case FieldKind::kPerSl:
            value.list = AnyList(kServiceLevels, kServiceLevels, static_cast<int>(field.range.max));
            break;
        case FieldKind::kShiftMultipliers:
            value.list = AnyList(1, 60, 0xFFFF);
            break;
        case FieldKind::kVlWeights:
            value.list = AnyList(1, kMaxVlWeights, 14 * 256 + 255);
            break;
        case FieldKind::kSlToVl:
            value.list = AnyList(kServiceLevels, kServiceLevels, 15);
            break;
        case FieldKind::kGuids:
            value.guids = *rc::gen::unique<std::vector<std::uint64_t>>(
                *rc::gen::inRange<std::size_t>(1, static_cast<std::size_t>(field.range.max) + 1),
                rc::gen::suchThat<std::uint64_t>([](std::uint64_t guid) { return guid != 0; }));
            break;
    }
    return value;
}

std::string Line(std::size_t key, const Value& value) {
    std::string lines;
    for (const std::string& text : emberc::FormatValue(SettingsFields()[key], value)) {
        lines += std::string(Keys()[key].name) + " " + text + "\n";
    }
    return lines;
}

/// Values that do not contradict each other, so that none is completed from another.
bool StandsAlone(std::string_view name) {
    return name != "m_key_lease_period" && name != "no_partition_enforcement" &&
           name != "use_original_extended_sa_rates_only" && name != "transaction_timeout" &&
           name != "long_transaction_timeout" && name != "lmc" && name != "m_key" &&
           name != "chain_lanes" && name != "activity_report_subjects";  // Of words alone.
}

RC_GTEST_PROP(RoundTrip, EveryValueOfEveryKeyComesBackAsItWas, ()) {
    std::vector<Value> values = ValuesOf(emberc::DefaultConf());
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!StandsAlone(Keys()[i].name) || *rc::gen::inRange(0, 3) == 0) continue;
        values[i] = AnyValue(SettingsFields()[i]);
        text += Line(i, values[i]);
    }

    const Octets payload = PayloadOf(text);
    RC_ASSERT(!payload.empty());
    const auto back = emberc::ReadPayloadValues(payload);
    RC_ASSERT(back.has_value());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if ((*back)[i] != values[i]) RC_FAIL(std::string(Keys()[i].name));
    }

    const Aligned copy(payload);
    Settings settings;
    const PayloadReport report = ReadPayload(copy.octets(), SharedRoom(), settings);
    RC_ASSERT(report.well_formed);
    RC_ASSERT(report.field_out_of_range.empty());
}

/// The number of each setting that the core acts on, by the name of its key.
std::map<std::string, std::uint64_t> NumbersOf(const Settings& from) {
    return {{"guid", Raw(from.guid)},
            {"m_key", from.m_key},
            {"m_key_lease_period", from.m_key_lease_period},
            {"m_key_protection_level", from.m_key_protection_level},
            {"sm_key", from.sm_key},
            {"sa_key", from.sa_key},
            {"subnet_prefix", from.subnet_prefix},
            {"part_enforce", static_cast<std::uint64_t>(from.part_enforce)},
            {"allow_both_pkeys", from.allow_both_pkeys},
            {"keep_pkey_indexes", from.keep_pkey_indexes},
            {"lmc", from.lmc},
            {"lmc_esp0", from.lmc_esp0},
            {"sm_sl", from.sm_sl},
            {"honor_guid2lid_file", from.honor_guid2lid_file},
            {"reassign_lids", from.reassign_lids},
            {"order", Raw(from.order)},
            {"packet_life_time", from.packet_life_time},
            {"subnet_timeout", from.subnet_timeout},
            {"max_op_vls", from.max_op_vls},
            {"vl_stall_count", from.vl_stall_count},
            {"leaf_vl_stall_count", from.leaf_vl_stall_count},
            {"head_of_queue_lifetime", from.head_of_queue_lifetime},
            {"leaf_head_of_queue_lifetime", from.leaf_head_of_queue_lifetime},
            {"force_link_speed", from.force_link_speed},
            {"force_link_speed_ext", from.force_link_speed_ext},
            {"force_link_width", from.force_link_width},
            {"local_phy_errors_threshold", from.local_phy_errors_threshold},
            {"overrun_errors_threshold", from.overrun_errors_threshold},
            {"sweep_interval", from.sweep_interval},
            {"force_heavy_sweep", from.force_heavy_sweep},
            {"sweep_on_trap", from.sweep_on_trap},
            {"max_wire_smps", from.max_wire_smps},
            {"max_wire_smps2", from.max_wire_smps2},
            {"max_smps_timeout", from.max_smps_timeout},
            {"transaction_timeout", from.transaction_timeout},
            {"transaction_retries", from.transaction_retries},
            {"max_msg_fifo_timeout", from.max_msg_fifo_timeout},
            {"sm_priority", from.sm_priority},
            {"ignore_other_sm", from.ignore_other_sm},
            {"sminfo_polling_timeout", from.sminfo_polling_timeout},
            {"polling_retry_number", from.polling_retry_number},
            {"sm_inactive", from.sm_inactive},
            {"no_clients_rereg", from.no_clients_rereg},
            {"disable_multicast", from.disable_multicast},
            {"drop_event_subscriptions", from.drop_event_subscriptions},
            {"use_mfttop", from.use_mfttop},
            {"ipoib_mcgroup_creation_validation", from.ipoib_mcgroup_creation_validation},
            {"mcgroup_join_validation", from.mcgroup_join_validation},
            {"consolidate_ipv6_snm_req", from.consolidate_ipv6_snm_req},
            {"max_rate_enum", from.max_rate_enum},
            {"enable_quirks", from.enable_quirks},
            {"rtr_pr_flow_label", from.rtr_pr_flow_label},
            {"rtr_pr_tclass", from.rtr_pr_tclass},
            {"rtr_pr_sl", from.rtr_pr_sl},
            {"rtr_pr_mtu", from.rtr_pr_mtu},
            {"rtr_pr_rate", from.rtr_pr_rate},
            {"rtr_aguid_enable", from.rtr_aguid_enable},
            {"m_key_lookup", from.m_key_lookup},
            {"m_key_per_port", from.m_key_per_port},
            {"enhanced_qos_vport0_unlimit_default_rl", from.enhanced_qos_vport0_unlimit_default_rl},
            {"require_deadlock_free", from.require_deadlock_free},
            {"chain_lanes", from.chain_lanes},
            {"routing_lanes", from.routing_lanes},
            {"babbling_port_policy", from.babbling_port_policy},
            {"flapping_link_policy", static_cast<std::uint64_t>(from.flapping_link_policy)},
            {"standby_consistency", static_cast<std::uint64_t>(from.standby_consistency)},
            {"flapping_link_count", from.flapping_link_count},
            {"flapping_link_window", from.flapping_link_window},
            {"flapping_link_hold", from.flapping_link_hold},
            {"sa_max_requests_per_source", from.sa_max_requests_per_source},
            {"sa_allow_proxies", from.sa_allow_proxies},
            {"multicast_hold", from.multicast_hold},
            {"scrub_interval", from.scrub_interval},
            {"sa_db_dump", from.sa_db_dump},
            {"port_profile_switch_nodes", from.port_profile_switch_nodes},
            {"connect_roots", from.connect_roots},
            {"max_reverse_hops", from.max_reverse_hops},
            {"quasi_ftree_indexing", from.quasi_ftree_indexing},
            {"do_mesh_analysis", from.do_mesh_analysis},
            {"lash_start_vl", from.lash_start_vl},
            {"nue_max_num_vls", from.nue_max_num_vls},
            {"avoid_throttled_links", from.avoid_throttled_links},
            {"nue_include_switches", from.nue_include_switches},
            {"port_shifting", from.port_shifting},
            {"scatter_ports", from.scatter_ports},
            {"guid_routing_order_no_scatter", from.guid_routing_order_no_scatter},
            {"offsweep_balancing_enabled", from.offsweep_balancing_enabled},
            {"offsweep_balancing_window", from.offsweep_balancing_window},
            {"log_flags", from.log_flags},
            {"qos", from.qos},
            {"use_optimized_slvl", from.use_optimized_slvl},
            {"suppress_sl2vl_mad_status_errors", from.suppress_sl2vl_mad_status_errors}};
}

/// The table says which keys EmberSM acts on; the core's settings say it too.
TEST(RoundTrip, EveryKeyThatIsActedOnHasItsPlaceInSettings) {
    auto numbers = NumbersOf(Settings{});
    std::set<std::string_view> files;
    for (std::size_t i = 0; i < Keys().size(); ++i) {
        const emberc::Key& key = Keys()[i];
        const bool in_settings = numbers.contains(std::string(key.name));
        const bool is_text = SettingsFields()[i].kind == FieldKind::kText;
        if (key.use == emberc::Use::kActedOn && is_text && key.name != "replication_key") {
            files.insert(key.name);
            continue;
        }
        // emberc makes another key of the latter.
        const bool is_lanes = key.name.starts_with("qos_");  // LanesComeByKindOfPorts.
        const bool expected = key.use == emberc::Use::kActedOn && key.name != "routing_engine" &&
                              key.name != "sm_peers" && key.name != "replication_key" &&
                              key.name != "no_partition_enforcement" &&
                              key.name != "use_original_extended_sa_rates_only" && !is_lanes;
        EXPECT_EQ(in_settings, expected) << key.name;
    }
    EXPECT_EQ(files.size(), 24U) << "emberc reads each: option_files_test.cc";
}

TEST(RoundTrip, TheReplicationKeyComesOctetForOctet) {
    const Aligned copy(PayloadOf("replication_key \"drawn by chance, or so\"\n"));
    Settings settings;
    ASSERT_TRUE(ReadPayload(copy.octets(), SharedRoom(), settings).accepted());
    const std::string key(settings.replication_key.begin(), settings.replication_key.end());
    EXPECT_EQ(key, "drawn by chance, or so");
    const Aligned none(PayloadOf(""));
    ASSERT_TRUE(ReadPayload(none.octets(), SharedRoom(), settings).accepted());
    EXPECT_TRUE(settings.replication_key.empty());
}

TEST(RoundTrip, TheDigestIsOfWhatHoldsForAllManagersOfASubnet) {
    const auto digest = [](std::string_view text) {
        const Aligned copy(PayloadOf(std::string(text)));
        Settings settings;
        EXPECT_TRUE(ReadPayload(copy.octets(), SharedRoom(), settings).accepted());
        return settings.configuration.digest;
    };
    const auto plain = digest("lmc 1\n");
    EXPECT_EQ(digest("lmc 1\nsm_priority 7\nsm_inactive TRUE\nguid 0x1234\n"), plain);
    EXPECT_NE(digest("lmc 2\n"), plain);
    EXPECT_NE(digest("lmc 1\nsm_sl 1\n"), plain);
    EXPECT_NE(digest("lmc 1\nreplication_key 0123456789abcdef\n"), plain);
}

/// Goal:   no two settings are mixed up on the way, and none is forgotten.
/// Method: one key at a time takes another value than its default; nothing else may change.
RC_GTEST_PROP(RoundTrip, EachKeyChangesItsOwnSettingAndNoOther, ()) {
    const auto defaults = NumbersOf(Settings{});
    for (std::size_t i = 0; i < Keys().size(); ++i) {
        const std::string name(Keys()[i].name);
        if (!defaults.contains(name)) continue;
        const Value value = AnyValue(SettingsFields()[i]);
        // An M_Key is not accepted beside the sa_key that everybody knows.
        const bool is_m_key = name == "m_key";
        const Octets payload = PayloadOf(Line(i, value) + (is_m_key ? "sa_key 0x5ec2e7\n" : ""));
        RC_ASSERT(!payload.empty());
        const Aligned copy(payload);
        Settings settings;
        RC_ASSERT(ReadPayload(copy.octets(), SharedRoom(), settings).field_out_of_range.empty());

        auto expected = defaults;
        expected[name] = value.number;
        if (is_m_key) expected["sa_key"] = 0x5EC2E7;
        const auto found = NumbersOf(settings);
        for (const auto& [key, number] : found) {
            if (expected[key] != number) RC_FAIL(key + " after " + name);
        }
    }
}

RC_GTEST_PROP(Parser, NeverFailsOnAnyText, (const std::string& text)) {
    emberc::Diagnostics diagnostics("any");
    (void)emberc::ParseOpensmConf(text, diagnostics);
    (void)emberc::RenderText(diagnostics);
}

TEST(PayloadWriter, GivesTheSameOctetsForTheSameValues) {
    EXPECT_EQ(PayloadOf("lmc 3\nlog_file /a\n"), PayloadOf("log_file /a\nlmc 3\n"));
    EXPECT_EQ(BlobOf("lmc 3\n", 9), BlobOf("lmc 3\n", 9)) << "signatures are deterministic";
}

}  // namespace
}  // namespace ember::test
