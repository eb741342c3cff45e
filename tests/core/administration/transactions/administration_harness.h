// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet administrator at a port that keeps what it sends.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <vector>

#include "core/administration/transactions/administration.h"
#include "core/fabric/fabric.h"
#include "core/manager/storage.h"
#include "tests/support/fake_port.h"

namespace ember::testing {

inline constexpr Limits kDeskLimits = {
    .max_nodes = 40,
    .max_switches = 8,
    .max_ports = 400,
    .max_switch_ports = 36,
    .max_lid = 255,
    .max_smps = 16,
    .max_other_sms = 2,
    .journal_notes = 64,
    .scratch_bytes = 64U << 10U,
    .max_sa_requests = 32,
    .max_sa_transfers = 4,
    .max_sa_sources = 8,
};

/// A question as a client writes it.
struct Asked {
    Method method = Method::kGet;
    SaAttribute attribute = SaAttribute::kClassPortInfo;
    std::uint64_t mask = 0;
    std::uint64_t key = 0;
    std::uint64_t id = 1;
    Lid from{1};
    std::array<std::uint8_t, kSaDataOctets> data{};
};

[[nodiscard]] inline Envelope Letter(const Asked& asked) {
    SaMad mad{};
    mad.header.base_version = kBaseVersion;
    mad.header.mgmt_class = MgmtClass::kSubnAdm;
    mad.header.class_version = kSubnAdmClassVersion;
    mad.header.method = asked.method;
    mad.header.transaction_id = TransactionId{asked.id};
    mad.header.attribute_id = AttributeId{static_cast<std::uint16_t>(asked.attribute)};
    mad.sm_key = asked.key;
    mad.component_mask = asked.mask;
    mad.data = asked.data;
    Envelope envelope;
    envelope.peer = asked.from;
    envelope.queue_pair = 1;
    envelope.remote_queue_pair = 1;
    envelope.mad = ToMad(mad);
    return envelope;
}

/// A client's RMPP datagram about an answer under way.
[[nodiscard]] inline Envelope Reaction(const Asked& asked, const RmppHeader& rmpp) {
    Envelope envelope = Letter(asked);
    SaMad mad = ToSaMad(envelope.mad);
    mad.rmpp = rmpp;
    envelope.mad = ToMad(mad);
    return envelope;
}

/// Records that say their number, in as many octets as the test likes.
class ScriptedRecords final : public RecordSource {
public:
    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kNodeRecord,
                .record_octets = record_octets,
                .get_multi = true,
                .set = true,
                .answered_as = answered_as};
    }
    [[nodiscard]] SaStatus Check(const Query& query) const override {
        return query.Has(63) ? SaStatus::kInsufficientComponents : SaStatus::kOk;
    }
    [[nodiscard]] Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                             std::span<std::uint8_t> record) override {
        last_record.assign(query.record.begin(), query.record.end());
        trusted = query.is_trusted;
        requester = query.requester;
        if (cursor.row >= count) return Found::kEnd;
        if (awaits_device) return Found::kLater;
        if (cursor.column < rows_between) {  // Rows that do not match.
            const std::uint32_t step = std::min(budget, rows_between - cursor.column);
            cursor.column += step;
            budget -= step;
            if (cursor.column < rows_between) return Found::kLater;
        }
        cursor.column = 0;
        Write(cursor.row++, record);
        return Found::kRecord;
    }
    [[nodiscard]] SaStatus Change(const Query& /*query*/, std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> record) override {
        ++changes;
        if (refuses) return SaStatus::kRequestDenied;
        Write(777, record);
        return SaStatus::kOk;
    }
    void Write(std::uint32_t number, std::span<std::uint8_t> record) const {
        for (std::size_t i = 0; i < record.size(); ++i) {
            record[i] = static_cast<std::uint8_t>(number * 7 + i * 3 + version);
        }
    }
    /// The octets that a table of all records has.
    [[nodiscard]] std::vector<std::uint8_t> All() const {
        std::vector<std::uint8_t> all(std::size_t{count} * record_octets);
        for (std::uint32_t i = 0; i < count; ++i) {
            Write(i, std::span(all).subspan(std::size_t{i} * record_octets, record_octets));
        }
        return all;
    }

    SaAttribute answered_as{};
    std::uint32_t count = 1;
    std::uint16_t record_octets = 112;
    std::uint32_t rows_between = 0;
    std::uint32_t version = 0;
    bool awaits_device = false;
    bool refuses = false;
    bool trusted = false;
    PortIndex requester = kNoPortIndex;
    std::uint32_t changes = 0;
    std::vector<std::uint8_t> last_record;
};

/// A switch with LID 1 and `hosts` hosts with LIDs 2..., and an administration that serves them.
class Desk {
public:
    explicit Desk(std::uint32_t hosts = 30) : storage_(new Storage<kDeskLimits>()) {
        NodeInfo info;
        info.Set(NodeInfo::kNodeType, NodeType::kSwitch);
        info.Set(NodeInfo::kNumPorts, std::uint8_t{36});
        AddNode(info, Guid{0x1000}, Lid{1});
        info.Set(NodeInfo::kNodeType, NodeType::kChannelAdapter);
        info.Set(NodeInfo::kNumPorts, std::uint8_t{1});
        for (std::uint32_t i = 0; i < hosts; ++i) {
            AddNode(info, Guid{0x2000 + i}, static_cast<Lid>(2 + i));
        }
        administration_.Serve(true);
    }

    /// `source` is asked from now on; it outlives the desk.
    void Add(RecordSource& source) { index_.Add(source); }
    [[nodiscard]] Fabric& fabric() { return fabric_; }
    [[nodiscard]] const AdministrationView& view() const { return view_; }
    [[nodiscard]] const Log& log() const { return log_; }
    [[nodiscard]] Administration& sa() { return administration_; }
    [[nodiscard]] FakePort& port() { return port_; }
    [[nodiscard]] Settings& settings() { return settings_; }
    [[nodiscard]] const SaStatistics& counted() const { return administration_.statistics(); }

    bool Take(const Envelope& envelope) { return administration_.Take(envelope, now_us); }
    bool Step() { return administration_.Step(now_us); }
    /// Asks, and takes all that is answered at once.
    std::vector<SaMad> Ask(const Asked& asked) {
        Take(Letter(asked));
        Step();
        return Sent();
    }
    /// Datagrams sent since the last call.
    std::vector<SaMad> Sent() {
        std::vector<SaMad> mads;
        for (const Envelope& envelope : port_.sent) {
            mads.push_back(ToSaMad(envelope.mad));
        }
        port_.sent.clear();
        return mads;
    }

    std::uint64_t now_us = 1'000'000;

private:
    void AddNode(NodeInfo info, Guid guid, Lid lid) {
        info.Set(NodeInfo::kNodeGuid, guid);
        info.Set(NodeInfo::kSystemImageGuid, guid);
        const NodeIndex at = fabric_.AddNode(info).value();
        const PortIndex port = fabric_.node(at).first_port;
        static_cast<void>(fabric_.NamePort(port, guid));
        fabric_.port(port).lid = lid;
        fabric_.GiveLids(port, lid, 0);
    }

    std::unique_ptr<Storage<kDeskLimits>> storage_;
    SubnetManager::Memory memory_{storage_->memory()};
    Settings settings_;
    FakePort port_;
    Log log_{memory_.log};
    Fabric fabric_{memory_.fabric, kDeskLimits};
    Partitions partitions_{fabric_};
    AdministrationView view_{fabric_, settings_, partitions_, {}, 0};
    RecordIndex index_;
    Administration administration_{memory_.sa_service.administration,
                                   Administration::Parts{port_, log_, view_, index_}};
};

class AdministrationTest : public ::testing::Test {
protected:
    AdministrationTest() { desk_.Add(records_); }

    [[nodiscard]] static Asked Table(std::uint64_t id = 1, Lid from = Lid{2}) {
        return {.method = Method::kGetTable,
                .attribute = SaAttribute::kNodeRecord,
                .id = id,
                .from = from};
    }
    [[nodiscard]] static Asked One(std::uint64_t id = 1, Lid from = Lid{2}) {
        return {
            .method = Method::kGet, .attribute = SaAttribute::kNodeRecord, .id = id, .from = from};
    }
    /// Hears the table to its end as a client with a window of `window` does; its octets.
    std::vector<std::uint8_t> Hear(const Asked& asked, std::uint32_t window) {
        std::vector<std::uint8_t> octets;
        desk_.Take(Letter(asked));
        std::uint32_t taken = 0;
        for (int i = 0; i < 10'000; ++i) {
            desk_.Step();
            for (const SaMad& mad : desk_.Sent()) {
                EXPECT_EQ(std::uint32_t{mad.rmpp.segment}, ++taken);
                const bool is_last = (RmppFlagsOf(mad.rmpp) & rmpp_flag::kLast) != 0;
                const std::size_t count =
                    is_last ? std::uint32_t{mad.rmpp.length} - kSaClassHeaderOctets
                            : mad.data.size();
                octets.insert(octets.end(), mad.data.begin(),
                              mad.data.begin() + static_cast<std::ptrdiff_t>(count));
                desk_.Take(Reaction(asked, MakeRmppAck(taken, taken + window)));
                if (is_last) return octets;
            }
        }
        ADD_FAILURE() << "the table does not end";
        return octets;
    }

    ScriptedRecords records_;
    Desk desk_;
};

}  // namespace ember::testing
