// SPDX-License-Identifier: Apache-2.0
// EmberSM: a program on a host of the simulated fabric that asks subnet administration.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "core/wire/inform_info.h"
#include "core/wire/mc_member_record.h"
#include "core/wire/notice.h"
#include "core/wire/sa_mad.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

/// A host's program: one question at a time, asked again until it is answered; Reports are kept,
/// and acknowledged if `acknowledges`.
class SaClient {
public:
    using Octets = std::array<std::uint8_t, sizeof(SaMad)>;

    SaClient(SimWorld& world, std::uint32_t node)
        : world_(world),
          port_(world.sim().AttachClient(node, 1)),
          row_(world.sim().RowOf(node, 1)) {}

    [[nodiscard]] Lid lid() { return world_.world().port(row_).info.Get(PortInfo::kLid); }
    [[nodiscard]] Guid guid() { return world_.world().port(row_).guid; }

    /// A question of ours; its number is new.
    [[nodiscard]] SaMad Question(Method method, SaAttribute attribute, std::uint64_t mask,
                                 const auto& record) {
        SaMad mad{};
        mad.header.base_version = kBaseVersion;
        mad.header.mgmt_class = MgmtClass::kSubnAdm;
        mad.header.class_version = kSubnAdmClassVersion;
        mad.header.method = method;
        mad.header.transaction_id = TransactionId{++serial_};
        mad.header.attribute_id = static_cast<AttributeId>(attribute);
        mad.component_mask = mask;
        std::copy_n(record.octets().begin(), sizeof record, mad.data.begin());
        return mad;
    }
    /// A datagram as it stands, whatever it is.
    void SendRaw(const Envelope& envelope) { static_cast<void>(port_.Send(envelope)); }
    /// Does not wait for an answer; Hear() counts it.
    void Send(const SaMad& mad) {
        Envelope envelope;
        envelope.peer = world_.world().port(row_).info.Get(PortInfo::kMasterSmLid);
        envelope.queue_pair = 1;
        envelope.remote_queue_pair = 1;
        envelope.p_key_index = p_key_index;
        envelope.mad = ToMad(mad);
        static_cast<void>(port_.Send(envelope));
    }
    [[nodiscard]] sim::Attachment& port() { return port_; }
    /// The answer to the question made last, if one comes within `limit_us`. Its status is in its
    /// header.
    std::optional<SaMad> AskOnce(const SaMad& question, std::uint64_t limit_us = 200 * kMs) {
        is_answered_ = false;
        Send(question);
        const auto hear = [this] {
            HearNeighbors();
            return Hear();
        };
        world_.RunUntil(hear, limit_us);
        if (!is_answered_) return std::nullopt;
        return answer_;
    }
    /// The status of the answer to one question of a client with `key`. No answer is a failure.
    SaStatus StatusOf(Method method, SaAttribute attribute, std::uint64_t mask, const auto& record,
                      std::uint64_t key = 0) {
        SaMad question = Question(method, attribute, mask, record);
        question.sm_key = key;
        const auto answer = AskOnce(question, kSecond);
        EXPECT_TRUE(answer.has_value());
        return answer.has_value() ? SaStatus{std::uint16_t{answer->header.status}}
                                  : SaStatus::kBusy;
    }
    /// The answer, at most 30 tries later.
    SaMad Ask(Method method, SaAttribute attribute, std::uint64_t mask, const auto& record) {
        const SaMad question = Question(method, attribute, mask, record);
        for (int tries = 0; tries < 30; ++tries) {
            if (const auto answer = AskOnce(question); answer.has_value()) return *answer;
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
                report_indexes.push_back(envelope.p_key_index);
                HearReport(mad);
                continue;
            }
            ++answers;
            if (Raw(TransactionId{mad.header.transaction_id}) == serial_) {
                answer_ = mad;
                is_answered_ = true;
            }
        }
        return is_answered_;
    }
    /// Time goes by, and what comes is heard.
    void Listen(std::uint64_t time_us) {
        const auto hear = [this] {
            HearNeighbors();
            Hear();
            return false;
        };
        world_.RunUntil(hear, time_us);
    }

    SaClient* neighbor = nullptr;  ///< Hears as well, as does its own neighbor: time stands still
                                   ///< while something waits.
    bool acknowledges = true;
    std::uint16_t p_key_index = 0;              ///< Into its port's table, for what it sends.
    std::size_t answers = 0;                    ///< To whatever question.
    std::vector<Notice> reports;                ///< As often as they came.
    std::vector<std::uint64_t> report_ids;      ///< Their TransactionIds.
    std::vector<Octets> told;                   ///< All of each.
    std::vector<std::uint16_t> report_indexes;  ///< P_Key indexes at its port.

private:
    void HearNeighbors() {
        for (SaClient* at = neighbor; at != nullptr && at != this; at = at->neighbor) {
            at->Hear();
        }
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

/// For a trap from anybody.
[[nodiscard]] inline InformInfo Subscription(TrapNumber trap) {
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

/// A full member of a group of the tests.
[[nodiscard]] inline McMemberRecord FullMember(Guid port) {
    McMemberRecord record;
    record.SetMgid({0xFF15A01C00000000, 7});
    record.Set(McMemberRecord::kPortGidPrefix, std::uint64_t{0xFE80000000000000});
    record.Set(McMemberRecord::kPortGidGuid, port);
    record.Set(McMemberRecord::kPKey, std::uint16_t{0xFFFF});
    record.Set(McMemberRecord::kJoinState, std::uint8_t{1});
    return record;
}
/// MGID, PortGID, Q_Key, TClass, P_Key, SL, FlowLabel, JoinState: enough to create the group.
inline constexpr std::uint64_t kToJoin =
    1U << 0 | 1U << 1 | 1U << 2 | 1U << 6 | 1U << 7 | 1U << 12 | 1U << 13 | 1U << 16;
inline constexpr std::uint64_t kToLeave = 1U << 0 | 1U << 1 | 1U << 16;

}  // namespace ember::testing
