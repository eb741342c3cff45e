// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts that ask, join and subscribe while datagrams are lost, doubled and overtaken.
//
// Goal:   whoever repeats its question is answered rightly; a member is in its group once; a notice
// is
//         told until it is acknowledged, and no longer.
// Method: a client at a host of the simulated fabric that speaks raw datagrams, by seed.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <vector>

#include "core/wire/inform_info.h"
#include "core/wire/mc_member_record.h"
#include "core/wire/node_record.h"
#include "core/wire/notice.h"
#include "core/wire/sa_mad.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kPrefix = 0xFE80000000000000;

/// A host's program: one question at a time, asked again until it is answered; Reports are kept,
/// and acknowledged if `acknowledges`.
class Client {
public:
    using Octets = std::array<std::uint8_t, sizeof(SaMad)>;

    Client(SimWorld& world, std::uint32_t node)
        : world_(world),
          port_(world.sim().AttachClient(node, 1)),
          row_(world.sim().RowOf(node, 1)) {}

    [[nodiscard]] Lid lid() { return world_.world().port(row_).info.Get(PortInfo::kLid); }
    [[nodiscard]] Guid guid() { return world_.world().port(row_).guid; }

    /// The answer, at most 30 tries later. Its status is in its header.
    SaMad Ask(Method method, SaAttribute attribute, std::uint64_t mask, const auto& record) {
        SaMad mad{};
        mad.header.base_version = kBaseVersion;
        mad.header.mgmt_class = MgmtClass::kSubnAdm;
        mad.header.class_version = kSubnAdmClassVersion;
        mad.header.method = method;
        mad.header.transaction_id = TransactionId{++serial_};
        mad.header.attribute_id = static_cast<AttributeId>(attribute);
        mad.component_mask = mask;
        std::copy_n(record.octets().begin(), sizeof record, mad.data.begin());
        for (int tries = 0; tries < 30; ++tries) {
            Send(mad);
            is_answered_ = false;
            const auto hear = [this] {
                if (neighbor != nullptr) neighbor->Hear();
                return Hear();
            };
            world_.RunUntil(hear, 200 * kMs);
            if (is_answered_) return answer_;
        }
        ADD_FAILURE() << "no answer to question " << serial_;
        return {};
    }
    /// Takes what has arrived. True when that answers the question asked last.
    bool Hear() {
        Envelope envelope;
        while (port_.Receive(envelope) == Status::kOk) {
            const SaMad mad = ToSaMad(envelope.mad);
            if (mad.header.method == Method::kReport) {
                HearReport(mad);
            } else if (Raw(TransactionId{mad.header.transaction_id}) == serial_) {
                answer_ = mad;
                is_answered_ = true;
            }
        }
        return is_answered_;
    }
    /// Time goes by, and what comes is heard.
    void Listen(std::uint64_t time_us) {
        const auto hear = [this] {
            Hear();
            return false;
        };
        world_.RunUntil(hear, time_us);
    }

    Client* neighbor = nullptr;  ///< Who hears as well: time stands still while something waits.
    bool acknowledges = true;
    std::vector<Notice> reports;            ///< As often as they came.
    std::vector<std::uint64_t> report_ids;  ///< Their TransactionIds.
    std::vector<Octets> told;               ///< All of each.

private:
    void Send(const SaMad& mad) {
        Envelope envelope;
        envelope.peer = world_.world().port(row_).info.Get(PortInfo::kMasterSmLid);
        envelope.queue_pair = 1;
        envelope.remote_queue_pair = 1;
        envelope.mad = ToMad(mad);
        static_cast<void>(port_.Send(envelope));
    }
    void HearReport(const SaMad& mad) {
        std::array<std::uint8_t, sizeof(Notice)> octets{};
        std::copy_n(mad.data.begin(), octets.size(), octets.begin());
        reports.push_back(std::bit_cast<Notice>(octets));
        told.push_back(std::bit_cast<Octets>(mad));
        report_ids.push_back(Raw(TransactionId{mad.header.transaction_id}));
        if (!acknowledges) return;
        SaMad reply = mad;
        reply.header.method = Method::kReportResp;
        Send(reply);
    }

    SimWorld& world_;
    sim::Attachment& port_;
    std::uint32_t row_;
    std::uint64_t serial_ = 0x1000;
    SaMad answer_{};
    bool is_answered_ = false;
};

[[nodiscard]] InformInfo Subscription(TrapNumber trap) {
    InformInfo info;
    info.Set(InformInfo::kLidRangeBegin, InformInfo::kAnyLid);
    info.Set(InformInfo::kIsGeneric, std::uint8_t{1});
    info.Set(InformInfo::kSubscribe, std::uint8_t{1});
    info.Set(InformInfo::kType, InformInfo::kAnyType);
    info.Set(InformInfo::kTrapNumber, static_cast<std::uint16_t>(trap));
    info.Set(InformInfo::kQpn, std::uint32_t{1});
    info.Set(InformInfo::kProducerType, InformInfo::kAnyProducer);
    return info;
}

[[nodiscard]] McMemberRecord Membership(Guid port) {
    McMemberRecord record;
    record.SetMgid({0xFF15A01C00000000, 7});
    record.Set(McMemberRecord::kPortGidPrefix, kPrefix);
    record.Set(McMemberRecord::kPortGidGuid, port);
    record.Set(McMemberRecord::kPKey, std::uint16_t{0xFFFF});
    record.Set(McMemberRecord::kJoinState, std::uint8_t{1});
    return record;
}
/// MGID, PortGID, Q_Key, TClass, P_Key, SL, FlowLabel, JoinState: enough to create the group.
constexpr std::uint64_t kToJoin =
    1U << 0 | 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7 | 1U << 12 | 1U << 13 | 1U << 16;
constexpr std::uint64_t kToLeave = 1U << 0 | 1U << 1 | 1U << 16;

/// A master on a fat tree whose wire gets bad once it is up, and a client on another leaf.
class Clients : public ::testing::TestWithParam<std::uint64_t> {
protected:
    Clients() : world_(net::FatTree2(4), {.faults = {.seed = GetParam()}}) {
        Settings settings = BriskSettings();
        settings.transaction_timeout = 50;
        world_.AddManager(settings);
        EXPECT_TRUE(world_.RunUntilQuiet(20 * kSecond));
    }
    void SpoilTheWire() {
        sim::Faults& faults = world_.sim().faults();
        faults.loss = 15 * sim::kPercent;
        faults.duplication = 15 * sim::kPercent;
        faults.jitter_ns = 5'000'000;
    }

    SimWorld world_;
};

TEST_P(Clients, AreAnsweredRightlyWhoeverRepeatsItsQuestion) {
    Client client(world_, 5);
    SpoilTheWire();
    for (std::uint32_t i = 0; i < 60; ++i) {
        const std::uint32_t host = i % 8;
        NodeRecord asked;
        const Lid lid = world_.world().port(world_.sim().RowOf(host, 1)).info.Get(PortInfo::kLid);
        asked.Set(NodeRecord::kLid, lid);
        const SaMad told = client.Ask(Method::kGet, SaAttribute::kNodeRecord, 1, asked);
        ASSERT_EQ(told.header.status, 0);
        std::array<std::uint8_t, sizeof(NodeRecord)> octets{};
        std::copy_n(told.data.begin(), octets.size(), octets.begin());
        EXPECT_EQ(std::bit_cast<NodeRecord>(octets).Get(NodeRecord::kLid), lid);
    }
}

TEST_P(Clients, AreInTheirGroupOnceHoweverOftenTheyAsk) {
    Client one(world_, 5);
    Client other(world_, 6);
    one.neighbor = &other;
    other.neighbor = &one;
    const std::size_t groups = world_.sm().status().multicast.groups;
    SpoilTheWire();
    for (int turn = 0; turn < 5; ++turn) {
        for (Client* const client : {&one, &other}) {
            const SaMad told = client->Ask(Method::kSet, SaAttribute::kMcMemberRecord, kToJoin,
                                           Membership(client->guid()));
            ASSERT_EQ(told.header.status, 0);
        }
        EXPECT_EQ(world_.sm().status().multicast.groups, groups + 1);
        EXPECT_EQ(world_.sm().status().multicast.members, 2U);
        for (Client* const client : {&one, &other}) {
            // The second try of a leave may find that the first was heard.
            static_cast<void>(client->Ask(Method::kDelete, SaAttribute::kMcMemberRecord, kToLeave,
                                          Membership(client->guid())));
        }
        EXPECT_EQ(world_.sm().status().multicast.groups, groups);
    }
}

TEST_P(Clients, AreToldOfEachEventUntilTheyAcknowledgeIt) {
    Client client(world_, 5);
    ASSERT_EQ(
        client
            .Ask(Method::kSet, SaAttribute::kInformInfo, 0, Subscription(TrapNumber::kOutOfService))
            .header.status,
        0);
    SpoilTheWire();
    const std::uint32_t gone = 7;
    const Guid guid = world_.world().port(world_.sim().RowOf(gone, 1)).guid;
    world_.Cut(gone, 1);
    client.Listen(5 * kSecond);
    // Sweeps lose sight of others as well on such a wire; of this one the client was told.
    const auto is_of = [](Guid port) {
        return [port](const Notice& report) {
            return std::bit_cast<GidNotice>(report).Get(GidNotice::kGidGuid) == Raw(port);
        };
    };
    EXPECT_TRUE(std::any_of(client.reports.begin(), client.reports.end(), is_of(guid)));
    // Repeats are the same notice, octet by octet.
    for (std::size_t i = 0; i < client.reports.size(); ++i) {
        EXPECT_EQ(client.reports[i].Get(Notice::kTrapNumber), TrapNumber::kOutOfService);
        for (std::size_t k = 0; k < i; ++k) {
            if (client.report_ids[i] != client.report_ids[k]) continue;
            EXPECT_EQ(client.told[i], client.told[k]) << "of " << i << " and " << k;
        }
    }
    // When it is acknowledged it is not told again.
    world_.sim().faults() = {};
    client.Listen(3 * kSecond);
    const std::size_t heard = client.reports.size();
    client.Listen(5 * kSecond);
    EXPECT_EQ(client.reports.size(), heard);
}

TEST_P(Clients, ThatAcknowledgeNothingAreGivenUp) {
    Client client(world_, 5);
    ASSERT_EQ(
        client
            .Ask(Method::kSet, SaAttribute::kInformInfo, 0, Subscription(TrapNumber::kOutOfService))
            .header.status,
        0);
    client.acknowledges = false;
    world_.Cut(7, 1);
    client.Listen(5 * kSecond);
    EXPECT_EQ(client.reports.size(), Settings{}.transaction_retries);
    EXPECT_EQ(world_.Heard(Note::kReportUnheard), 1U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Clients, ::testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace ember::testing
