// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of configurations that NVIDIA's subnet manager wrote.

#include "config/emberc/foreign_keys.h"

#include <gtest/gtest.h>
#include <string>

#include "config/emberc/diagnostics.h"
#include "config/emberc/opensm_conf.h"

namespace ember::emberc {
namespace {

struct Told {
    explicit Told(std::string_view text) { static_cast<void>(ReadKeys(text, report, {})); }
    [[nodiscard]] std::size_t errors() const { return report.CountOf(Severity::kError); }
    [[nodiscard]] std::size_t notes() const { return report.CountOf(Severity::kNote); }
    Diagnostics report{"opensm.conf"};
};

TEST(ForeignKeys, ThatAskForNothingAreOneNote) {
    const Told told(
        "cc_key_enable 0\ncongestion_control_policy_file (null)\nrouter_policy_enabled FALSE\n"
        "topo_config_enabled false\nheld_back_sw_file \nar_sl_mask 0x0000\n"
        "hm_num_reboots 10\nmax_cas_on_spine 2\nsm_priority 12\n");
    EXPECT_EQ(told.errors(), 0U);
    EXPECT_EQ(told.notes(), 1U);
    const Diagnostic& note = told.report.all().front();
    EXPECT_EQ(note.place.line, 1U);
    EXPECT_EQ(
        note.text,
        "8 keys of NVIDIA's subnet manager ask for nothing as they stand here, from this line "
        "on: left out");
    EXPECT_EQ(Told("virt_enabled 0\n").report.all().front().text,
              "a key of NVIDIA's subnet manager asks for nothing as it stands here, from this line "
              "on: left out");
}

TEST(ForeignKeys, ThatAskForSomethingAreErrors) {
    EXPECT_EQ(Told("ar_mode 1\nshield_mode 3\nsharp_enabled 2\nhm_num_reboots 11\n").errors(), 4U);
}

TEST(ForeignKeys, AreKnownWhereverNvidiaWritesThem) {
    for (const char* const key :
         {"ltr_enabled", "rtr_selection_seed", "rtr_selection_function", "tcp_port", "reports",
          "port_speed_change_action", "standalone", "suppress_mc_pkey_traps"}) {
        EXPECT_FALSE(FeatureOfForeignKey(key).empty()) << key;
    }
}

TEST(ForeignEngines, AreNamedWithTheNearestOne) {
    EXPECT_EQ(NearestToForeignEngine("ar_updn"), "updn");
    EXPECT_EQ(NearestToForeignEngine("updn"), "");
    const Told told("routing_engine ar_updn\n");
    ASSERT_EQ(told.errors(), 1U);
    EXPECT_EQ(told.report.all().front().text,
              "'ar_updn' is an engine of NVIDIA's subnet manager; the nearest here is updn");
}

}  // namespace
}  // namespace ember::emberc
