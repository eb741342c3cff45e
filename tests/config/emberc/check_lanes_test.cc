// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what is said of the keys of virtual lanes: packets that would be dropped, wait
// for ever, or go by another lane than the line says.
#include <gtest/gtest.h>
#include <string>

#include "config/emberc/opensm_conf.h"

namespace ember::test {
namespace {

using emberc::Diagnostics;

constexpr const char* kMap = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n";

/// Line, code and text of everything that is said about a text.
std::string Said(const std::string& text) {
    Diagnostics diagnostics("test.conf");
    (void)emberc::ParseOpensmConf(text, diagnostics);
    std::string said;
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        said += std::to_string(one.place.line) + " " + std::string(emberc::WordOf(one.code)) +
                ": " + one.text + "\n";
    }
    return said;
}

TEST(CheckLanes, SaysNothingOfOpensmsDefaults) {
    EXPECT_EQ(Said("qos TRUE\n"), "");
    EXPECT_EQ(Said("qos TRUE\nqos_sl2vl (null)\nqos_ca_vlarb_low (null)\nqos_high_limit -1\n"), "");
    EXPECT_EQ(Said(std::string("qos TRUE\nqos_sl2vl ") + kMap), "");
    EXPECT_EQ(Said("qos TRUE\nqos_vlarb_high 0:4\nqos_vlarb_low 1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,"
                   "9:4,10:4,11:4,12:4,13:4,14:4\n"),
              "");
}

TEST(CheckLanes, WithoutQosAllAreWithoutEffect) {
    EXPECT_EQ(Said("qos_high_limit 3\nqos_ca_vlarb_low 1:1\n"),
              "1 no-effect: qos is FALSE, so qos_high_limit changes nothing\n"
              "2 no-effect: qos is FALSE, so qos_ca_vlarb_low changes nothing\n");
    EXPECT_EQ(Said("qos_policy_file /etc/opensm/qos-policy.conf\nqos_high_limit -1\n"), "")
        << "defaults";
}

TEST(CheckLanes, TellsWhatIsDropped) {
    EXPECT_EQ(Said("qos TRUE\nqos_rtr_sl2vl 0,15,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n"),
              "2 dropped-level: router ports drop packets of SL 1 (VL 15)\n");
}

TEST(CheckLanes, TellsWhichLaneStandsForAnother) {
    EXPECT_EQ(Said(std::string("max_op_vls 4\nqos TRUE\nqos_ca_sl2vl 9") + ",0,0,0,0,0,0,0,0,0,0,"
                                                                           "0,0,0,0,0\n"),
              "3 folded-lane: packets of SL 0 get other VLs than the line says: max_op_vls 4 "
              "leaves VL 0 to 7\n");
    EXPECT_EQ(Said("qos TRUE\nqos_swe_max_vls 2\nqos_swe_sl2vl 0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,0\n")
                  .substr(0, 65),
              "2 not-acted-on: EmberSM does not act on 'qos_swe_max_vls' yet: th");
}

TEST(CheckLanes, TellsWhatWaitsForEver) {
    EXPECT_EQ(Said("qos TRUE\nqos_swe_vlarb_low 1:4\n"
                   "qos_swe_sl2vl 0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,0\n"),
              "3 starved-lane: packets of SL 2 get VLs without weight in either table of external "
              "switch ports: "
              "they would wait for ever\n");
    EXPECT_EQ(Said("qos TRUE\nqos_vlarb_high 0:0\nqos_vlarb_low 1:4\n"
                   "qos_sl2vl 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n"),
              "");
    const std::string all = Said(
        "qos TRUE\nqos_vlarb_high 1:1\nqos_vlarb_low 0:0\n"
        "qos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n");
    EXPECT_NE(
        all.find(
            "4 starved-lane: packets of SL 0 to 15 get VLs without weight in either table of host "
            "ports"),
        std::string::npos)
        << all;
    EXPECT_EQ(Said("max_op_vls 1\nqos TRUE\nqos_vlarb_high 1:1\nqos_vlarb_low 2:0\n"), "")
        << "one VL, and nothing to arbitrate";
}

constexpr const char* kTorus = "qos TRUE\nrouting_engine torus-2QoS\n";
/// Links between switches have one weight for each four VLs, links of end ports two VLs.
constexpr const char* kFair =
    "qos_vlarb_high 0:4,1:4\nqos_vlarb_low 0:1,1:1\n"
    "qos_swe_vlarb_high 0:0\nqos_swe_vlarb_low 0:8,1:8,2:8,3:8,4:1,5:1,6:1,7:1\n";

TEST(CheckLanes, SaysNothingOfATorusThatSharesFairly) {
    EXPECT_EQ(Said(std::string(kTorus) + kFair), "");
    EXPECT_EQ(Said(std::string(kTorus) + kFair + "qos_rtr_vlarb_low 0:1,9:3\n"), "")
        << "VLs that a torus has nowhere";
}

TEST(CheckLanes, TellsWhatATorusSharesUnequallyByDefault) {
    EXPECT_EQ(Said(kTorus),
              "2 unfair-lanes: the default vlarb_high shares links between switches unequally: "
              "torus-2QoS spreads one level of service over VLs 0 to 3 and the other over VLs 4 to "
              "7, which should have one weight each\n"
              "2 unfair-lanes: the default vlarb_low shares links between switches unequally: "
              "torus-2QoS spreads one level of service over VLs 0 to 3 and the other over VLs 4 to "
              "7, which should have one weight each\n"
              "2 unfair-lanes: the default vlarb_low gives weight to VLs 2 to 7 on links of end "
              "ports, where torus-2QoS uses VL 0 and VL 1 alone\n");
}

TEST(CheckLanes, TellsWhichKeyOfATorusSharesUnequally) {
    EXPECT_EQ(Said(std::string(kTorus) + kFair + "qos_ca_vlarb_low 0:1,2:3\n"),
              "7 unfair-lanes: qos_ca_vlarb_low gives weight to VLs 2 to 7 on links of end ports, "
              "where torus-2QoS uses VL 0 and VL 1 alone\n");
    const std::string said = Said(std::string(kTorus) +
                                  "qos_vlarb_high 0:4,1:4\nqos_vlarb_low 0:1,1:1\n"
                                  "qos_swe_vlarb_low 0:1,1:1,2:1,3:2\n");
    EXPECT_NE(said.find("3 unfair-lanes: qos_vlarb_high shares links between"), std::string::npos);
    EXPECT_NE(said.find("5 unfair-lanes: qos_swe_vlarb_low shares links"), std::string::npos);
    EXPECT_EQ(said.find("end ports"), std::string::npos) << said;
}

TEST(CheckLanes, TellsThatATorusHasMapsOfItsOwn) {
    EXPECT_EQ(
        Said(std::string(kTorus) + kFair + "qos_sl2vl 15,15,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n"),
        "7 no-effect: torus-2QoS is free of credit loops by SL to VL maps of its own: "
        "qos_sl2vl counts for no port while it routes\n");
    const std::string said = Said(std::string("qos TRUE\nrouting_engine torus-2QoS,dfsssp\n") +
                                  kFair + "qos_ca_sl2vl 15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n");
    EXPECT_NE(said.find("7 no-effect: "), std::string::npos) << said;
    EXPECT_NE(said.find("7 dropped-level: host ports drop packets of SL 0"), std::string::npos)
        << said;
}

}  // namespace
}  // namespace ember::test
