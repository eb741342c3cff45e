// SPDX-License-Identifier: Apache-2.0
// EmberSM: traps, as the log tells of them.
#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <string>

#include "config/netlist/topologies.h"
#include "core/discovery/trap_notes.h"
#include "core/log/render.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

/// A subnet that is up; of its nodes, the first switch and the first host.
class ToldTraps : public ::testing::Test {
protected:
    ToldTraps() : world_(Named()) { world_.AddManager(); }
    void SetUp() override {
        ASSERT_TRUE(world_.RunUntilQuiet(30 * kSecond));
        ForEachNode(fabric(), [&](NodeIndex, const Node& node) {
            PortIndex& first = node.type == NodeType::kSwitch ? switch_ : host_;
            if (first == kNoPortIndex) first = node.first_port;
        });
    }
    static net::Netlist Named() {
        net::Netlist net = net::FatTree2(4);
        for (net::NetNode& node : net.nodes) {
            node.description = node.type == NodeType::kSwitch ? "leaf" : "host";
        }
        return net;
    }
    [[nodiscard]] const Fabric& fabric() { return world_.sm().fabric(); }
    [[nodiscard]] std::uint16_t LidOf(PortIndex at) { return Raw(fabric().port(at).lid); }
    /// "0x... "leaf"".
    [[nodiscard]] std::string NameOf(PortIndex at) {
        std::array<char, 32> room{};
        const std::uint64_t guid = Raw(fabric().node(fabric().port(at).node).guid);
        return std::string(RenderValue(BlankKind::kGuid, guid, {}, room)) +
               (at == switch_ ? " \"leaf\"" : " \"host\"");
    }

    /// The line that `notice` makes, sent by `issuer`.
    [[nodiscard]] std::string Told(const Notice& notice, PortIndex issuer) {
        std::array<LogRecord, 4> ring{};
        Log log(ring);
        NoteTrap(log, fabric(), notice, issuer, 0);
        std::uint64_t cursor = 0;
        std::uint64_t missed = 0;
        LogRecord record;
        if (log.Read(cursor, record, missed) != Status::kOk) return "nothing";
        last_ = record.note;
        std::array<char, kMaxRenderedOctets> text{};
        return std::string(Render(record, {{}, &world_.sm().names()}, text));
    }
    template <typename Kind = Notice>
    static Kind Generic(TrapNumber number) {
        Notice notice;
        notice.Set(Notice::kIsGeneric, std::uint8_t{1});
        notice.Set(Notice::kTrapNumber, number);
        return std::bit_cast<Kind>(notice);
    }

    SimWorld world_;
    PortIndex switch_ = kNoPortIndex;
    PortIndex host_ = kNoPortIndex;
    Note last_ = Note::kEnd;
};

TEST_F(ToldTraps, ALinkStateChange) {
    EXPECT_EQ(Told(Generic(TrapNumber::kLinkStateChange), switch_),
              "trap 128: " + NameOf(switch_) + " saw a port change its state");
    EXPECT_EQ(last_, Note::kTrapLinkState);
}

TEST_F(ToldTraps, LinkErrorsWithBothEndsOfTheCable) {
    const NodeIndex node = fabric().port(switch_).node;
    for (std::uint16_t number = 129; number <= 131; ++number) {
        auto notice = Generic<PortErrorNotice>(TrapNumber{number});
        notice.Set(PortErrorNotice::kPortNo, PortNumber{1});
        const Port& port = fabric().port(fabric().PortOf(node, PortNumber{1}));
        const Port& peer = fabric().port(port.peer);
        const std::string text = Told(notice, switch_);
        EXPECT_EQ(last_, Note::kTrapPortErrors);
        EXPECT_EQ(text.rfind("trap " + std::to_string(number) + ": " + NameOf(switch_) +
                                 " port 1, cabled to 0x",
                             0),
                  0U)
            << text;
        EXPECT_NE(text.find("\" port " + std::to_string(Raw(peer.number)) + ", complains of "),
                  std::string::npos)
            << text;
    }
    auto nobody = Generic<PortErrorNotice>(TrapNumber::kLocalLinkIntegrity);
    nobody.Set(PortErrorNotice::kPortNo, PortNumber{250});
    EXPECT_NE(Told(nobody, switch_).find("port 250, cabled to 0x0000000000000000 port 0"),
              std::string::npos);
}

TEST_F(ToldTraps, LocalChanges) {
    auto notice = Generic<LocalChangesNotice>(TrapNumber::kLocalChanges);
    const std::string before = "trap 144: " + NameOf(host_) + " changed its ";
    EXPECT_EQ(Told(notice, host_), before + "capabilities");
    EXPECT_EQ(last_, Note::kTrapLocalChanges);
    notice.Set(LocalChangesNotice::kOtherLocalChanges, std::uint8_t{1});
    EXPECT_EQ(Told(notice, host_), before + "settings (the trap does not say which)");
    notice.Set(LocalChangesNotice::kNodeDescriptionChange, std::uint8_t{1});
    EXPECT_EQ(Told(notice, host_), before + "NodeDescription");
    notice.Set(LocalChangesNotice::kLinkWidthEnabledChange, std::uint8_t{1});
    EXPECT_EQ(Told(notice, host_), before + "settings");
}

TEST_F(ToldTraps, AnotherSystemImageGuid) {
    auto notice = Generic<SystemImageGuidNotice>(TrapNumber::kSystemImageGuidChange);
    notice.Set(SystemImageGuidNotice::kSystemImageGuid, Guid{0xABC});
    EXPECT_EQ(Told(notice, host_),
              "trap 145: " + NameOf(host_) + " has another SystemImageGUID: 0xabc");
    EXPECT_EQ(last_, Note::kTrapSystemImageGuid);
}

TEST_F(ToldTraps, WrongKeysWithWhoSentThem) {
    const std::string sender = "from LID " + std::to_string(LidOf(switch_)) + " " + NameOf(switch_);
    auto m_key = Generic<MKeyNotice>(TrapNumber::kBadMKey);
    m_key.Set(MKeyNotice::kLidAddr, Lid{LidOf(switch_)});
    m_key.Set(MKeyNotice::kMethod, Method::kSet);
    m_key.Set(MKeyNotice::kAttributeId, AttributeId::kPortInfo);
    EXPECT_EQ(Told(m_key, host_), "trap 256: " + NameOf(host_) + " met a wrong M_Key, " + sender +
                                      ": method 0x2, attribute 0x15");
    EXPECT_EQ(last_, Note::kTrapMKey);

    auto key = Generic<KeyNotice>(TrapNumber::kBadPKey);
    key.Set(KeyNotice::kLidAddr1, Lid{LidOf(switch_)});
    key.Set(KeyNotice::kLidAddr2, Lid{9});
    key.Set(KeyNotice::kKey, 0x7FFFU);
    EXPECT_EQ(Told(key, host_),
              "trap 257: " + NameOf(host_) + " met a wrong P_Key, 0x7fff: " + sender + " to LID 9");
    EXPECT_EQ(last_, Note::kTrapPKey);
    key.Set(Notice::kTrapNumber, TrapNumber::kBadQKey);
    EXPECT_EQ(Told(key, host_),
              "trap 258: " + NameOf(host_) + " met a wrong Q_Key, 0x7fff: " + sender + " to LID 9");
    EXPECT_EQ(last_, Note::kTrapQKey);

    auto at_switch = Generic<SwitchPKeyNotice>(TrapNumber::kBadPKeyAtSwitch);
    at_switch.Set(SwitchPKeyNotice::kLidAddr1, Lid{LidOf(switch_)});
    at_switch.Set(SwitchPKeyNotice::kLidAddr2, Lid{9});
    at_switch.Set(SwitchPKeyNotice::kPKey, std::uint16_t{0x8001});
    at_switch.Set(SwitchPKeyNotice::kPortNo, PortNumber{3});
    EXPECT_EQ(Told(at_switch, switch_), "trap 259: " + NameOf(switch_) +
                                            " port 3 met a wrong P_Key, 0x8001: " + sender +
                                            " to LID 9");
    EXPECT_EQ(last_, Note::kTrapSwitchPKey);
}

TEST_F(ToldTraps, OthersByTheirNumbers) {
    Notice vendor = Generic(TrapNumber::kLinkStateChange);
    vendor.Set(Notice::kIsGeneric, std::uint8_t{0});
    vendor.Set(Notice::kVendorId, 0x2C9U);
    EXPECT_EQ(Told(vendor, host_), "trap 128 from " + NameOf(host_) +
                                       ", LID 0, producer type or vendor 0x2c9, details 0x0");
    EXPECT_EQ(last_, Note::kTrapReceived);
    const std::string told = Told(Generic(TrapNumber{1234}), host_);
    EXPECT_EQ(told.rfind("trap 1234 from ", 0), 0U) << told;
}

}  // namespace
}  // namespace ember::testing
