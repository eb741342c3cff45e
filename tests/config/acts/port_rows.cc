// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys whose values stand in the registers of the hardware after a bring-up.
#include <gtest/gtest.h>

#include "tests/config/acts/row.h"
#include "tests/config/acts/scene.h"

namespace ember::acts {
namespace {

/// A field of the PortInfo of a host that is not the manager's.
template <typename Field>
Look Host(const Field& field) {
    return [field](const Settings& settings) {
        return Text(InfoOf(*BringUp(settings), 3, 1).Get(field));
    };
}

/// Of a switch port, by `end`.
template <typename Field>
Look SwitchPort(std::uint32_t Leaf::*end, const Field& field) {
    return [end, field](const Settings& settings) {
        const auto world = BringUp(settings);
        const Leaf leaf = FindLeaf(*world);
        return Text(InfoOf(*world, leaf.node, leaf.*end).Get(field));
    };
}

/// Of the SwitchInfo of a leaf.
template <typename Field>
Look Switch(const Field& field) {
    return [field](const Settings& settings) {
        const auto world = BringUp(settings);
        return Text(world->world().node(FindLeaf(*world).node).switch_info.Get(field));
    };
}

/// MulticastFDBTop of a switch that knows it.
std::string MulticastTop(const Settings& settings) {
    SimWorld world(SmallTree());
    for (std::uint32_t node = 0; node < world.world().node_count(); ++node) {
        if (!world.world().node(node).is_switch()) continue;
        PortInfo& info = world.world().port(world.sim().RowOf(node, 0)).info;
        info.Set(PortInfo::kCapabilityMask, info.Get(PortInfo::kCapabilityMask) |
                                                capability_mask::kIsMulticastFdbTopSupported);
    }
    world.AddManager(settings);
    EXPECT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    const std::uint32_t node = FindLeaf(world).node;
    return Text(world.world().node(node).switch_info.Get(SwitchInfo::kMulticastFdbTop));
}

/// The LMC of an enhanced port 0.
std::string LmcOfPortZero(const Settings& settings) {
    SimWorld::Options options;
    options.hardware.all_enhanced_port0 = true;
    const auto world = BringUp(settings, SmallTree(), options);
    return Text(InfoOf(*world, FindLeaf(*world).node, 0).Get(PortInfo::kLmc));
}

/// The M_Key of a host to which another manager gave the key 7 at this protection level.
template <std::uint8_t kLevel>
std::string KeyOfAForeigner(const Settings& settings) {
    SimWorld world(SmallTree());
    PortInfo& info = world.world().port(world.sim().RowOf(3, 1)).info;
    info.Set(PortInfo::kMKey, std::uint64_t{7});
    info.Set(PortInfo::kMKeyProtectBits, kLevel);
    world.AddManager(settings);
    world.RunFor(20 * kSecond);
    return Text(info.Get(PortInfo::kMKey));
}

/// Whether two hosts have the same M_Key.
std::string KeysOfTwoHosts(const Settings& settings) {
    const auto world = BringUp(settings);
    const bool alike =
        InfoOf(*world, 3, 1).Get(PortInfo::kMKey) == InfoOf(*world, 4, 1).Get(PortInfo::kMKey);
    return alike ? "the same" : "their own";
}

std::string Lids(const Settings& settings) {
    const auto world = BringUp(settings);
    std::string lids;
    for (std::uint32_t host = 0; host < 8; ++host) {
        lids += Text(LidOf(*world, host)) + " ";
    }
    return lids;
}

}  // namespace

std::vector<Row> PortRows() {
    constexpr auto kToHost = &Leaf::to_host;
    constexpr auto kToSwitch = &Leaf::to_switch;
    // clang-format off
    return {
        {"m_key", "0x1234", Host(PortInfo::kMKey), "0", "4660", "sa_key 9\n"},
        {"m_key_lease_period", "60", Host(PortInfo::kMKeyLeasePeriod), "0", "60", "m_key 1\nsa_key 9\n"},
        {"m_key_lookup", "FALSE", &KeyOfAForeigner<0>, "9", "7", "m_key 9\nsa_key 9\n"},
        {"guid2mkey_file", "keys", &KeyOfAForeigner<1>, "7", "9", "m_key 9\nsa_key 9\n",
         {{"keys", "0x100007 7\n"}}},
        {"neighbors_file", "ways", &KeyOfAForeigner<2>, "7", "9",
         "m_key 9\nsa_key 9\nguid2mkey_file keys\n",
         {{"keys", "0x100007 7\n"},
          {"ways", "0x200001:1 0x100007:1\n0x200001:2 0x100007:1\n"
                   "0x200001:3 0x100007:1\n0x200001:4 0x100007:1\n"}}},
        {"m_key_per_port", "TRUE", &KeysOfTwoHosts, "the same", "their own", "m_key 1\nsa_key 9\n"},
        {"m_key_protection_level", "2", Host(PortInfo::kMKeyProtectBits), "0", "2", "m_key 1\nsa_key 9\n"},
        {"subnet_prefix", "0xfec0000000000007", Host(PortInfo::kGidPrefix),
         "18338657682652659712", "18356672081162141703"},
        {"lmc", "2", Host(PortInfo::kLmc), "0", "2"},
        {"lmc_esp0", "TRUE", &LmcOfPortZero, "0", "1", "lmc 1\n"},
        {"order", "guid", &Lids, "1 5 8 10 11 12 13 14 ", "1 2 3 4 5 6 7 8 "},
        {"guid2lid_file", "lids", &Lids, "1 5 8 10 11 12 13 14 ", "1 5 8 40 10 11 12 13 ", "",
         {{"lids", "0x100007 40 40\n"}}},
        {"sm_sl", "4", Host(PortInfo::kMasterSmSl), "0", "4"},
        {"subnet_timeout", "20", Host(PortInfo::kSubnetTimeOut), "18", "20"},
        {"local_phy_errors_threshold", "3", Host(PortInfo::kLocalPhyErrors), "8", "3"},
        {"overrun_errors_threshold", "5", Host(PortInfo::kOverrunErrors), "8", "5"},
        {"packet_life_time", "0x10", Switch(SwitchInfo::kLifeTimeValue), "18", "16"},
        {"max_op_vls", "2", SwitchPort(kToSwitch, PortInfo::kOperationalVls), "4", "2"},
        {"vl_stall_count", "6", SwitchPort(kToSwitch, PortInfo::kVlStallCount), "7", "6"},
        {"leaf_vl_stall_count", "5", SwitchPort(kToHost, PortInfo::kVlStallCount), "7", "5"},
        {"head_of_queue_lifetime", "0x11", SwitchPort(kToSwitch, PortInfo::kHoqLife), "18", "17"},
        {"leaf_head_of_queue_lifetime", "0x0f", SwitchPort(kToHost, PortInfo::kHoqLife), "16", "15"},
        {"force_link_speed", "1", SwitchPort(kToSwitch, PortInfo::kLinkSpeedEnabled), "7", "1"},
        {"force_link_speed_ext", "1", SwitchPort(kToSwitch, PortInfo::kLinkSpeedExtEnabled), "3", "1"},
        {"force_link_width", "1", SwitchPort(kToSwitch, PortInfo::kLinkWidthEnabled), "3", "1"},
        {"use_mfttop", "FALSE", &MulticastTop, "49151", "0"},
    };
    // clang-format on
}

}  // namespace ember::acts
