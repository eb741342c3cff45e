// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of reading opensm.conf.
#include "config/emberc/opensm_conf.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "config/emberc/keys.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;
using emberc::Severity;

/// The codes of everything that is said about a text, apart by blanks.
/// Without the note that a file with keys and no peers draws; KeyCodes() tells it too.
std::string Codes(std::string_view text, bool with_notes_of_keys = false) {
    Diagnostics diagnostics("test.conf");
    (void)emberc::ParseOpensmConf(text, diagnostics);
    std::string codes;
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        if (one.code == emberc::Code::kOpenElection && !with_notes_of_keys) continue;
        codes += (codes.empty() ? "" : " ") + std::string(emberc::WordOf(one.code));
    }
    return codes;
}

std::string KeyCodes(std::string_view text) {
    return Codes(text, true);
}

emberc::Value ValueOf(std::string_view key, std::string_view text) {
    Diagnostics diagnostics("test.conf");
    const emberc::Conf conf = emberc::ParseOpensmConf(text, diagnostics);
    return conf.at(*emberc::FindKey(key)).value;
}

std::uint64_t NumberOf(std::string_view key, std::string_view text) {
    return ValueOf(key, text).number;
}

TEST(OpensmConf, ReadsBooleansAsPeopleWriteThem) {
    for (const std::string word :
         {"TRUE", "true", "True", "yes", "YES", "on", "1", "y", "enabled"}) {
        EXPECT_EQ(NumberOf("reassign_lids", "reassign_lids " + word), 1U) << word;
        EXPECT_EQ(Codes("reassign_lids " + word), word == "TRUE" ? "" : "boolean-spelling") << word;
    }
    for (const std::string word : {"FALSE", "false", "no", "Off", "0", "n", "disabled"}) {
        EXPECT_EQ(NumberOf("sweep_on_trap", "sweep_on_trap " + word), 0U) << word;
        EXPECT_EQ(Codes("sweep_on_trap " + word), "") << word;
    }
    EXPECT_EQ(Codes("reassign_lids maybe"), "bad-boolean");
    EXPECT_EQ(Codes("reassign_lids TRUE FALSE"), "bad-boolean");
}

TEST(OpensmConf, ReadsNumbersInThreeBases) {
    EXPECT_EQ(NumberOf("packet_life_time", "packet_life_time 0x12"), 18U);
    EXPECT_EQ(NumberOf("packet_life_time", "packet_life_time 18"), 18U);
    EXPECT_EQ(NumberOf("packet_life_time", "packet_life_time 022"), 18U);
    EXPECT_EQ(Codes("packet_life_time 022"), "octal");
    EXPECT_EQ(Codes("packet_life_time 00"), "");
    EXPECT_EQ(NumberOf("guid", "guid 0xffffffffffffffff"), UINT64_MAX);
    EXPECT_EQ(NumberOf("guid", "guid 18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(static_cast<std::int64_t>(NumberOf("qos_high_limit", "qos_high_limit -1")), -1);
}

TEST(OpensmConf, RefusesNumbersThatAreNone) {
    for (const std::string word :
         {"08", "1O", "10s", "0x", "x12", "1.5", "1,000", "- 1", "(null)", "--1", "0x12g", "c9"}) {
        EXPECT_EQ(Codes("sweep_interval " + word), "bad-number") << word;
    }
    EXPECT_EQ(Codes("guid 0x10000000000000000"), "out-of-range");
    EXPECT_EQ(Codes("lmc -1"), "out-of-range");
    EXPECT_EQ(Codes("lmc 8"), "out-of-range");
    EXPECT_EQ(Codes("force_link_speed 8"), "out-of-range");
    EXPECT_EQ(Codes("force_link_speed 15"), "");
    EXPECT_EQ(Codes("qos_high_limit -2"), "out-of-range");
    EXPECT_EQ(Codes("sweep_interval 4294967296"), "out-of-range");
}

TEST(OpensmConf, BeginsACommentAtAnyNumberSign) {
    EXPECT_EQ(Codes("# all\n   # of it\nlmc 2 # behind"), "");
    EXPECT_EQ(NumberOf("lmc", "lmc 2 # behind"), 2U);
    EXPECT_EQ(Codes("log_file a#b"), "not-acted-on comment-in-word");
    EXPECT_EQ(ValueOf("log_file", "log_file a#b").text, "a");
    EXPECT_EQ(Codes("log_file \"a #b\""), "unbalanced-quote");
}

TEST(OpensmConf, TakesOnePairOfQuotesOff) {
    EXPECT_EQ(ValueOf("log_prefix", "log_prefix \" a  b \"").text, " a  b ");
    EXPECT_EQ(ValueOf("log_prefix", "log_prefix 'it''s'").text, "it''s");
    EXPECT_EQ(ValueOf("log_prefix", "log_prefix a  b  ").text, "a  b");
    EXPECT_EQ(NumberOf("lmc", "lmc \"3\""), 3U);
    EXPECT_EQ(Codes("log_prefix \"a"), "unbalanced-quote");
    EXPECT_EQ(Codes("log_prefix a'"), "unbalanced-quote");
    EXPECT_EQ(Codes("log_prefix \""), "unbalanced-quote");
}

TEST(OpensmConf, UnsetsTextsAndListsWithNull) {
    EXPECT_FALSE(ValueOf("log_file", "log_file (null)").set);
    EXPECT_FALSE(ValueOf("routing_engine", "routing_engine (null)").set);
    EXPECT_FALSE(ValueOf("qos_vlarb_high", "qos_vlarb_high (null)").set);
    EXPECT_FALSE(ValueOf("enhanced_qos_policy_file", "enhanced_qos_policy_file null").set);
    EXPECT_TRUE(ValueOf("log_file", "log_file null").set);
}

TEST(OpensmConf, ReadsTheLastLineAndWindowsLineEnds) {
    EXPECT_EQ(NumberOf("lmc", "\r\nlmc 2\r\nsm_priority 3"), 2U);
    EXPECT_EQ(NumberOf("sm_priority", "\r\nlmc 2\r\nsm_priority 3"), 3U);
    EXPECT_EQ(NumberOf("lmc", "\tlmc\t\t2\t"), 2U);
    EXPECT_EQ(Codes(""), "");
}

TEST(OpensmConf, RefusesWhatIsNotText) {
    EXPECT_EQ(Codes(std::string_view("lmc 1\0\n", 7)), "not-text");
    EXPECT_EQ(Codes("\xEF\xBB\xBFlmc 1"), "byte-order-mark");
    EXPECT_EQ(Codes("log_prefix a\x01z"), "control-character");
    EXPECT_EQ(Codes("log_prefix " + std::string(1012, 'x')), "not-acted-on");
    EXPECT_EQ(Codes("log_prefix " + std::string(1013, 'x')), "line-too-long");
}

TEST(OpensmConf, LetsTheLastOfTwoCountAndSaysWhereTheFirstStood) {
    Diagnostics diagnostics("test.conf");
    const emberc::Conf conf = emberc::ParseOpensmConf("lmc 1\n\nlmc 2\n", diagnostics);
    EXPECT_EQ(conf.at(*emberc::FindKey("lmc")).value.number, 2U);
    ASSERT_EQ(diagnostics.all().size(), 1U);
    EXPECT_EQ(diagnostics.all()[0].code, emberc::Code::kDuplicateKey);
    EXPECT_EQ(diagnostics.all()[0].place.line, 3U);
    EXPECT_NE(diagnostics.all()[0].text.find("line 1"), std::string::npos);
}

TEST(OpensmConf, AddsUpTheLinesOfServiceLevels) {
    const emberc::Value value = ValueOf("cc_ca_cong_setting_ccti_timer",
                                        "cc_ca_cong_setting_ccti_timer 3 17\n"
                                        "cc_ca_cong_setting_ccti_timer 15 65535\n");
    ASSERT_EQ(value.list.size(), 16U);
    EXPECT_EQ(value.list[3], 17);
    EXPECT_EQ(value.list[15], 65535);
    EXPECT_EQ(value.list[0], 0);
    EXPECT_EQ(Codes("cc_ca_cong_setting_ccti_min 16 1"), "out-of-range");
    EXPECT_EQ(Codes("cc_ca_cong_setting_ccti_min 1 256"), "out-of-range");
    EXPECT_EQ(Codes("cc_ca_cong_setting_ccti_min 1"), "bad-value");
}

TEST(OpensmConf, ReadsListsOfVirtualLanes) {
    using List = std::vector<std::uint16_t>;
    EXPECT_EQ(ValueOf("qos_vlarb_high", "qos_vlarb_high 0:4, 1:0x10 ,14:255").list,
              (List{0x0004, 0x0110, 0x0EFF}));
    EXPECT_EQ(Codes("qos_vlarb_high 15:1"), "out-of-range");
    EXPECT_EQ(Codes("qos_vlarb_high 1:256"), "out-of-range");
    EXPECT_EQ(Codes("qos_vlarb_high 1"), "bad-value");
    EXPECT_EQ(Codes("qos_vlarb_high 1:1,"), "no-effect stray-mark");
    EXPECT_EQ(Codes("qos_sl2vl 0,1,2"), "bad-value");
    EXPECT_EQ(Codes("qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16"), "out-of-range");
    EXPECT_EQ(ValueOf("qos_sl2vl", "qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7").list.back(),
              7);
    EXPECT_EQ(ValueOf("cc_cct", "cc_cct 0:1,3:16383").list, (List{1, 0xFFFF}));
    EXPECT_EQ(Codes("cc_cct 4:1"), "out-of-range");
}

TEST(OpensmConf, ReadsMasksOf256Bits) {
    const emberc::Value value =
        ValueOf("cc_sw_cong_setting_victim_mask", "cc_sw_cong_setting_victim_mask 0x102");
    ASSERT_EQ(value.list.size(), 32U);
    EXPECT_EQ(value.list[0], 0x02);
    EXPECT_EQ(value.list[1], 0x01);
    EXPECT_EQ(Codes("cc_sw_cong_setting_victim_mask 0x" + std::string(64, 'f')), "not-acted-on");
    EXPECT_EQ(Codes("cc_sw_cong_setting_victim_mask 0x" + std::string(65, 'f')), "bad-mask");
}

TEST(OpensmConf, HasNoEngineStepInUnasked) {
    EXPECT_EQ(Codes("routing_engine minhop"), "");
    EXPECT_EQ(Codes("routing_engine minhop no_fallback"), "");
    EXPECT_EQ(Codes("routing_engine ftree, updn dnup\tdor"), "");
    EXPECT_EQ(Codes("routing_engine sssp"), "");
    EXPECT_EQ(Codes("routing_engine dfsssp\nqos TRUE"), "");
    EXPECT_EQ(Codes("routing_engine dfsssp"), "");
    EXPECT_EQ(Codes("routing_engine dfsssp\norder opensm"), "conflict") << "qos is FALSE";
    EXPECT_EQ(Codes("routing_engine dfsssp\nqos TRUE\nrouting_lanes FALSE"), "conflict");
    EXPECT_EQ(Codes("routing_engine lash\nqos TRUE"), "");
    EXPECT_EQ(Codes("routing_engine lash"), "");
    EXPECT_EQ(Codes("routing_engine lash\norder opensm"), "conflict") << "qos is FALSE";
    EXPECT_EQ(Codes("routing_engine nue"), "") << "one lane does";
    EXPECT_EQ(Codes("routing_engine auto\nqos TRUE"), "");
    EXPECT_EQ(Codes("routing_engine auto"), "");
    EXPECT_EQ(Codes("routing_engine auto\nrouting_lanes FALSE"), "no-effect");
    EXPECT_EQ(Codes("routing_engine auto\nqos TRUE\norder opensm"), "no-effect");
    EXPECT_EQ(Codes("routing_engine pqft"), "");
    EXPECT_EQ(Codes("routing_engine none"), "engine-not-available");
    EXPECT_EQ(Codes("routing_engine ftree,none"), "engine-not-available");
    EXPECT_EQ(Codes("routing_engine chain,minhop"), "conflict") << "no chain";
    EXPECT_EQ(Codes("routing_engine updn,minhop,updn"), "duplicate-engine");
    EXPECT_EQ(Codes("routing_engine no_fallback,no_fallback"), "duplicate-engine");
    EXPECT_EQ(Codes("routing_engine ftre"), "unknown-engine");
    EXPECT_EQ(Codes("routing_engine MINHOP"), "unknown-engine");
}

TEST(OpensmConf, AnMKeyIsNotGuardedByAKeyThatEveryHostKnows) {
    EXPECT_EQ(KeyCodes("sm_priority 3"), "") << "as OpenSM has it";
    EXPECT_EQ(Codes("m_key 5"), "conflict well-known-key");
    EXPECT_EQ(Codes("m_key 5\nsa_key 1\nsm_key 6"), "well-known-key conflict");
    EXPECT_EQ(Codes("m_key 5\nsa_key 6"), "well-known-key") << "sm_key";
    EXPECT_EQ(Codes("m_key 5\nsa_key 0\nsm_key 6"), "") << "trusts nobody";
    EXPECT_EQ(Codes("sa_key 6"), "well-known-key") << "sm_key";
    EXPECT_EQ(KeyCodes("sa_key 6\nsm_key 7\nsm_peers 0x11"), "");
}

TEST(OpensmConf, OffersAListOfPeersWhereKeysMatter) {
    EXPECT_EQ(KeyCodes("sa_key 6\nsm_key 7"), "open-election");
    EXPECT_EQ(KeyCodes("sa_key 6\nsm_key 7\nignore_other_sm TRUE"), "");
    EXPECT_EQ(Codes("sm_peers 0x11, 0x12 0x13"), "well-known-key");
}

TEST(OpensmConf, RefusesAReplicationKeyThatIsTooShortOrTooLong) {
    EXPECT_EQ(Codes("replication_key 0123456789abcdef"), "");
    EXPECT_EQ(Codes("replication_key 0123456789abcde"), "out-of-range");
    EXPECT_EQ(Codes("replication_key " + std::string(64, 'k')), "");
    EXPECT_EQ(Codes("replication_key " + std::string(65, 'k')), "out-of-range");
    EXPECT_EQ(Codes("replication_key (null)"), "");
}

TEST(OpensmConf, RefusesPeersThatAreNoGuids) {
    EXPECT_EQ(Codes("sa_key 6\nsm_key 7\nsm_peers 0x11 0"), "bad-number");
    EXPECT_EQ(Codes("sa_key 6\nsm_key 7\nsm_peers host-1"), "bad-number");
    EXPECT_EQ(Codes("sa_key 6\nsm_key 7\nsm_peers 17, 0x11"), "duplicate-entry");
    EXPECT_EQ(Codes("sa_key 6\nsm_key 7\nsm_peers 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"),
              "too-long");
}

TEST(OpensmConf, FindsSettingsThatContradictEachOther) {
    const std::string protect =
        "m_key 5\nsa_key 6\nsm_key 7\nm_key_protection_level 1\nm_key_lease_period 60\n";
    EXPECT_EQ(Codes(protect), "");
    EXPECT_EQ(Codes(protect + "sweep_interval 60"), "conflict");
    EXPECT_EQ(Codes(protect + "sweep_interval 0"), "conflict");
    EXPECT_EQ(Codes("m_key_protection_level 1"), "no-effect");
    EXPECT_EQ(Codes("m_key_per_port TRUE"), "no-effect") << "no secret";
    EXPECT_EQ(Codes(protect + "m_key_per_port TRUE"), "");
    EXPECT_EQ(Codes("m_key 5\nsa_key 6\nsm_key 7\nm_key_per_port TRUE"), "no-effect")
        << "all can be read";
    EXPECT_EQ(Codes("part_enforce in\nno_partition_enforcement TRUE"), "conflict");
    EXPECT_EQ(Codes("max_rate_enum 20\nuse_original_extended_sa_rates_only TRUE"), "conflict");
    EXPECT_EQ(Codes("transaction_timeout 900\nlong_transaction_timeout 800"),
              "not-acted-on no-effect");
    EXPECT_EQ(Codes("transaction_timeout 900"), "");
    EXPECT_EQ(Codes("max_wire_smps 8\nmax_wire_smps2 4"), "no-effect");
    EXPECT_EQ(Codes("rtr_aguid_enable 1"), "no-effect");
    EXPECT_EQ(Codes("rtr_aguid_enable 2"), "");
    EXPECT_EQ(Codes("rtr_aguid_enable 1\nsubnet_prefix 0xfec0000000000001"), "");
    EXPECT_EQ(Codes("reassign_lids TRUE\nhonor_guid2lid_file TRUE"), "no-effect");
    EXPECT_EQ(Codes("reassign_lids TRUE\nguid2lid_file lids"), "no-effect");
}

TEST(OpensmConf, CompletesWhatAnOldSpellingImplies) {
    EXPECT_EQ(NumberOf("part_enforce", "no_partition_enforcement TRUE"), 3U);
    EXPECT_EQ(NumberOf("max_rate_enum", "use_original_extended_sa_rates_only TRUE"), 18U);
    EXPECT_EQ(NumberOf("long_transaction_timeout", "transaction_timeout 900"), 900U);
    EXPECT_EQ(ValueOf("port_search_ordering_file", "dimn_ports_file a").text, "a");
    EXPECT_EQ(Codes("order opensm\ndimn_ports_file a\nport_search_ordering_file b"),
              "old-name duplicate-key");
}

TEST(OpensmConf, WarnsOfAKeyThatChangesNothingUnlessItIsAtItsDefault) {
    for (std::size_t i = 0; i < emberc::Keys().size(); ++i) {
        const emberc::Key& key = emberc::Keys()[i];
        EXPECT_EQ(Codes(std::string(key.name) + " " + std::string(key.default_text)), "")
            << key.name;
    }
    EXPECT_EQ(Codes("congestion_control TRUE"), "not-acted-on");
    EXPECT_EQ(Codes("per_module_logging_file /etc/logging"), "not-acted-on");
    EXPECT_EQ(Codes("lmc 1"), "");
}

TEST(OpensmConf, TakesABlankAndNoEqualsSign) {
    EXPECT_EQ(Codes("lmc=1"), "equals-sign");
    EXPECT_EQ(Codes("lmc = 1"), "equals-sign");
    EXPECT_EQ(Codes("lmc"), "missing-value");
    EXPECT_EQ(Codes("lmc # 1"), "missing-value");
}

TEST(OpensmConf, GoesOnAfterAnError) {
    EXPECT_EQ(Codes("lmc 9\nlcm 1\nsm_priority 16\n"), "out-of-range unknown-key out-of-range");
}

TEST(Diagnostics, AreJsonEvenOfAFileThatIsNoUtf8) {
    Diagnostics diagnostics("test.conf");
    (void)emberc::ParseOpensmConf("l\xFFmc 1", diagnostics);
    const std::string text = emberc::RenderJson(Only(diagnostics))
                                 .dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    EXPECT_NE(text.find("unknown-key"), std::string::npos);
}

TEST(Diagnostics, PutTheCaretUnderTheCharacterAndNotUnderItsOctets) {
    Diagnostics diagnostics("test.conf");
    (void)emberc::ParseOpensmConf("\tlog_prefix \xC3\xA9\xC3\xA9\x01", diagnostics);
    EXPECT_NE(emberc::RenderText(diagnostics).find("\n    \t             ^\n"), std::string::npos)
        << emberc::RenderText(diagnostics);
}

}  // namespace
}  // namespace ember::test
