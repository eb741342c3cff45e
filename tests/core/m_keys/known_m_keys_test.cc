// SPDX-License-Identifier: Apache-2.0
// EmberSM: the M_Keys that a port may have which does not answer to the one it should have.
//
// Goal:   a host with two ports, one of which lost its link, is found again by any exit, and so is
//         the port of a subnet manager that is heard.
// Method: the questions behind an exit whose peer is not known, turn by turn.
#include "core/m_keys/known_m_keys.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/fabric_builder.h"
#include "config/netlist/topologies.h"
#include "platform/sim/sim_store.h"

namespace ember {
namespace {

constexpr MKeyRule kRule{0x5EC2E7, true};
constexpr Guid kHeard{0x0002C90300001234};

class KnownKeys : public ::testing::Test {
protected:
    /// Forty hosts on two switches: enough for more ports without links than have a turn.
    KnownKeys()
        : built_(net::DualRail(40, 1)),
          fabric_(built_.fabric()),
          scratch_(KnownMKeys::SweepBytes(built_.limits())),
          keys_({.fabric = fabric_, .log = log_, .store = store_}, settings_) {
        settings_.m_key = kRule.secret;
        settings_.m_key_per_port = kRule.per_port;
        ForEachPort(fabric_, [this](PortIndex at, const Port& port) {
            if (port.guid != kNoGuid) fabric_.port(at).has_info = true;
            const bool is_host = fabric_.node(port.node).type != NodeType::kSwitch;
            if (is_host && at != fabric_.own_port()) hosts_.push_back(at);
        });
    }

    void Sweep() {
        const Arena::Frame frame(scratch_.arena());
        keys_.BeginSweep(scratch_.arena(), 0);
        keys_.EndSweep();
    }
    /// Gives the link of a host's port up, and returns the port of the switch.
    PortIndex Unlink(PortIndex host) {
        const PortIndex exit = fabric_.port(host).peer;
        fabric_.Disconnect(host);
        return exit;
    }
    [[nodiscard]] std::uint64_t KeyOf(PortIndex host) const {
        return MKeyFrom(kRule, fabric_.port(host).guid);
    }
    [[nodiscard]] std::vector<std::uint64_t> Asked(PortIndex exit) const {
        std::vector<std::uint64_t> asked;
        for (std::size_t turn = 0; turn < keys_.TurnsBeyond(exit); ++turn) {
            asked.push_back(keys_.KeyBeyond(exit, turn).value());
        }
        return asked;
    }
    [[nodiscard]] bool IsAsked(PortIndex exit, std::uint64_t m_key) const {
        const std::vector<std::uint64_t> asked = Asked(exit);
        return std::find(asked.begin(), asked.end(), m_key) != asked.end();
    }

    net::BuiltFabric built_;
    Fabric& fabric_;
    net::ArenaStorage scratch_;
    std::vector<LogRecord> ring_ = std::vector<LogRecord>(16);
    Log log_{ring_};
    sim::SimStore store_;
    Settings settings_;
    KnownMKeys keys_;
    std::vector<PortIndex> hosts_;
};

TEST_F(KnownKeys, OfAPortThatLostItsLinkAreTriedBehindEachExitThatLeadsNowhere) {
    const PortIndex exit = Unlink(hosts_[0]);
    const PortIndex other = Unlink(hosts_[1]);
    EXPECT_FALSE(IsAsked(other, KeyOf(hosts_[0]))) << "no sweep has begun since";
    Sweep();
    EXPECT_TRUE(IsAsked(exit, KeyOf(hosts_[0])));
    EXPECT_TRUE(IsAsked(other, KeyOf(hosts_[0])));
    EXPECT_TRUE(IsAsked(exit, KeyOf(hosts_[1])));
    EXPECT_FALSE(IsAsked(exit, KeyOf(hosts_[2]))) << "its link is there";
}

TEST_F(KnownKeys, ThatAPortHadComeBeforeThoseThatItShallHave) {
    const PortIndex exit = Unlink(hosts_[0]);
    fabric_.port(hosts_[0]).info.Set(PortInfo::kMKey, std::uint64_t{0x77});
    Sweep();
    EXPECT_TRUE(IsAsked(exit, 0x77));
    settings_.m_key_lookup = false;
    Sweep();
    EXPECT_FALSE(IsAsked(exit, 0x77));
}

TEST_F(KnownKeys, OfMorePortsThanHaveATurnAreTriedBySweepAfterSweep) {
    std::vector<bool> was_asked(hosts_.size());
    const PortIndex exit = Unlink(hosts_[0]);
    for (std::size_t i = 1; i < hosts_.size(); ++i) {
        if (fabric_.port(hosts_[i]).peer != kNoPortIndex) Unlink(hosts_[i]);
    }
    ASSERT_GT(hosts_.size(), 3 * KnownMKeys::kMostUnlinked);
    for (std::size_t sweep = 0; sweep * KnownMKeys::kMostUnlinked <= hosts_.size(); ++sweep) {
        Sweep();
        ASSERT_LE(keys_.TurnsBeyond(exit), KnownMKeys::kMostTurns);
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            was_asked[i] = was_asked[i] || IsAsked(exit, KeyOf(hosts_[i]));
        }
    }
    EXPECT_EQ(std::count(was_asked.begin(), was_asked.end(), false), 0);
}

TEST_F(KnownKeys, OfAManagerThatIsHeardComeFirstWhileNoSweepMeetsIt) {
    const PortIndex exit = Unlink(hosts_[0]);
    const PortIndex linked = fabric_.port(hosts_[2]).peer;
    keys_.Seek(kHeard);
    EXPECT_NE(Asked(exit)[0], MKeyFrom(kRule, kHeard)) << "turns stay during a sweep";
    Sweep();
    EXPECT_EQ(Asked(exit)[0], MKeyFrom(kRule, kHeard));
    EXPECT_FALSE(IsAsked(linked, MKeyFrom(kRule, kHeard)));
    keys_.Seek(fabric_.port(hosts_[2]).guid);
    Sweep();
    EXPECT_FALSE(IsAsked(exit, KeyOf(hosts_[2]))) << "it has a link";
    keys_.Seek(kNoGuid);
    Sweep();
    EXPECT_FALSE(IsAsked(exit, MKeyFrom(kRule, kHeard)));
}

}  // namespace
}  // namespace ember
