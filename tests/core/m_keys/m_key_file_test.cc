// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is kept over a restart to reach ports that answer to their M_Key only.
#include "core/m_keys/m_key_file.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "config/netlist/fabric_builder.h"
#include "config/netlist/topologies.h"

namespace ember {
namespace {

using Octets = std::vector<std::byte>;

[[nodiscard]] MKeyRules Rules() {
    MKeyRules rules;
    static_cast<void>(rules.TryPush({0x11, true}));
    static_cast<void>(rules.TryPush({0x22, false}));
    return rules;
}

class KeptMKeys : public ::testing::Test {
protected:
    KeptMKeys()
        : built_(net::FatTree2(4)),
          fabric_(built_.fabric()),
          scratch_(MKeyFile::ScratchBytes(built_.limits())) {}

    [[nodiscard]] Octets Write(const MKeyFile& old = {}) {
        const Arena::Frame frame(scratch_.arena());
        const auto octets = MKeyFile::Write(Rules(), fabric_, old, scratch_.arena());
        EXPECT_LE(octets.size(), MKeyFile::Bytes(built_.limits()));
        return {octets.begin(), octets.end()};
    }
    [[nodiscard]] Guid GuardOf(PortIndex at) const {
        return fabric_.port(MKeyPortOf(fabric_, at)).guid;
    }
    /// The first link of a switch.
    [[nodiscard]] PortIndex SomeExit() const {
        PortIndex found = kNoPortIndex;
        ForEachPort(fabric_, [&](PortIndex at, const Port& port) {
            const bool is_exit = port.peer != kNoPortIndex && port.number != kManagementPort &&
                                 fabric_.node(port.node).type == NodeType::kSwitch;
            if (is_exit && found == kNoPortIndex) found = at;
        });
        return found;
    }

    net::BuiltFabric built_;
    Fabric& fabric_;
    net::ArenaStorage scratch_;
};

TEST_F(KeptMKeys, TellRulesAndTheWayToEachPort) {
    const Octets octets = Write();
    MKeyFile file;
    ASSERT_EQ(file.Read(octets), Status::kOk);
    EXPECT_EQ(file.rules(), Rules());
    EXPECT_EQ(file.own(), fabric_.port(fabric_.own_port()).guid);
    std::size_t exits = 0;
    ForEachPort(fabric_, [&](PortIndex at, const Port& port) {
        const bool is_switch = fabric_.node(port.node).type == NodeType::kSwitch;
        const bool is_exit = is_switch ? port.number != kManagementPort : at == fabric_.own_port();
        if (!is_exit) return;
        ++exits;
        EXPECT_EQ(file.Beyond(GuardOf(at), port.number),
                  port.peer == kNoPortIndex ? kNoGuid : GuardOf(port.peer));
    });
    EXPECT_GT(exits, 10U);
    EXPECT_EQ(file.Beyond(GuardOf(SomeExit()), PortNumber{0}), kNoGuid);
    EXPECT_EQ(file.Beyond(GuardOf(SomeExit()), PortNumber{254}), kNoGuid);
    EXPECT_EQ(file.Beyond(Guid{0xDEAD}, PortNumber{1}), kNoGuid);
    EXPECT_EQ(file.Before(Guid{0xDEAD}), kNoGuid);
    ForEachEndPort(fabric_, [&](PortIndex at, const Port& port) {
        if (fabric_.node(port.node).type == NodeType::kSwitch) return;
        EXPECT_EQ(file.Before(GuardOf(at)), GuardOf(port.peer));
    });
}

TEST_F(KeptMKeys, KeepWhatWasBehindAnExitThatLeadsNowhere) {
    const PortIndex exit = SomeExit();
    const PortNumber number = fabric_.port(exit).number;
    const Guid behind = GuardOf(fabric_.port(exit).peer);
    const Octets before = Write();
    fabric_.Disconnect(exit);
    MKeyFile old;
    ASSERT_EQ(old.Read(before), Status::kOk);
    const Octets after = Write(old);
    MKeyFile file;
    ASSERT_EQ(file.Read(after), Status::kOk);
    EXPECT_EQ(file.Beyond(GuardOf(exit), number), behind);
}

TEST_F(KeptMKeys, KeepNodesThatHaveLeftWithTheirExits) {
    const PortIndex exit = SomeExit();
    const Guid gone = GuardOf(exit);
    const PortNumber number = fabric_.port(exit).number;
    const Guid behind = GuardOf(fabric_.port(exit).peer);
    const Octets before = Write();
    fabric_.RemoveNode(fabric_.port(exit).node);
    MKeyFile old;
    ASSERT_EQ(old.Read(before), Status::kOk);
    const Octets after = Write(old);
    MKeyFile file;
    ASSERT_EQ(file.Read(after), Status::kOk);
    EXPECT_EQ(file.Beyond(gone, number), behind);
    MKeyFile again;
    const Octets twice = Write(file);
    ASSERT_EQ(again.Read(twice), Status::kOk);
    EXPECT_EQ(twice, after) << "nothing has changed";
}

TEST_F(KeptMKeys, AreNotBelievedWhenCutShort) {
    const Octets octets = Write();
    for (std::size_t length = 0; length < octets.size(); ++length) {
        MKeyFile file;
        EXPECT_EQ(file.Read(std::span(octets).first(length)), Status::kMalformed) << length;
        EXPECT_EQ(file.Beyond(GuardOf(SomeExit()), PortNumber{1}), kNoGuid);
        EXPECT_TRUE(file.rules().empty());
    }
}

TEST_F(KeptMKeys, DoNoHarmWhateverTheyHold) {
    const Octets octets = Write();
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        Octets changed = octets;
        const std::size_t most = i % 2 == 0 ? 28 : changed.size();
        for (int octet = 0; octet < 3; ++octet) {
            changed[static_cast<std::size_t>(random() % most)] = static_cast<std::byte>(random());
        }
        MKeyFile file;
        static_cast<void>(file.Read(changed));
        EXPECT_LE(file.rules().size(), kMostMKeyRules);
        for (std::uint32_t number = 0; number < 8; ++number) {
            static_cast<void>(
                file.Beyond(GuardOf(SomeExit()), PortNumber{static_cast<std::uint8_t>(number)}));
        }
        if (i % 64 == 0) static_cast<void>(Write(file));
    }
}

}  // namespace
}  // namespace ember
