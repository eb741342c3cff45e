// SPDX-License-Identifier: Apache-2.0
// EmberSM: a small fabric, its multicast groups, and requests that join, leave and ask.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/administration/registrations/mc_member_records.h"
#include "core/multicast/own_groups.h"
#include "tests/core/administration/record_net.h"
#include "tests/support/multicast_store.h"

namespace ember::testing {

class McMembers : public ::testing::Test {
protected:
    using Record = McMemberRecord;

    static constexpr std::uint64_t kPrefix = 0xFE80000000000000ULL;
    static constexpr Gid kBroadcast{0xFF12401BFFFF0000ULL, 0xFFFFFFFFULL};
    static constexpr Gid kPlain{0xFF12A01C00000000ULL, 1};

    static constexpr Limits kRoom{.max_nodes = 1,
                                  .max_switches = 1,
                                  .max_ports = 1,
                                  .max_switch_ports = 1,
                                  .max_lid = 1,
                                  .max_smps = 1,
                                  .max_other_sms = 1,
                                  .journal_notes = 16,
                                  .scratch_bytes = 0,
                                  .max_groups = 12,
                                  .max_members = 12,
                                  .max_mlids = 32,
                                  .max_events = 16};

    /// A request: fields are set and their components counted, one by one.
    struct Request {
        Record record;
        std::uint64_t mask = 0;

        template <WireScalar Value>
        Request& With(unsigned component, Field<Value> field, Value value) {
            record.Set(field, value);
            mask |= std::uint64_t{1} << component;
            return *this;
        }
        Request& Without(unsigned component) {
            mask &= ~(std::uint64_t{1} << component);
            return *this;
        }
    };

    McMembers() {
        ForEachPort(net_.fabric(), [](PortIndex, Port& port) {
            port.info = PortInfo{};
            port.info.Set(PortInfo::kMtuCap, Mtu::k2048);
            port.info.Set(PortInfo::kLinkWidthActive, link_width::k4x);
            port.info.Set(PortInfo::kLinkSpeedActive, link_speed::kSdr);
        });
        static_cast<void>(MakeOwnGroups(groups(), net_.settings()));
    }

    Groups& groups() { return store_.groups(); }
    Guid GuidOf(std::uint32_t node) { return net_.port(node, 1).guid; }

    Request Join(const Gid& mgid, std::uint32_t node, std::uint8_t state = join_state::kFull) {
        Request request;
        request.record.SetMgid(mgid);
        request.record.Set(Record::kPortGidPrefix, kPrefix);
        request.mask = 1U << Record::kHasMgid;
        request.With(Record::kHasPortGid, Record::kPortGidGuid, GuidOf(node));
        request.With(Record::kHasJoinState, Record::kJoinState, state);
        return request;
    }
    Request Create(const Gid& mgid, std::uint32_t node, std::uint8_t state = join_state::kFull) {
        Request request = Join(mgid, node, state);
        request.With(Record::kHasQKey, Record::kQKey, std::uint32_t{7});
        request.With(Record::kHasTClass, Record::kTClass, std::uint8_t{0});
        request.With(Record::kHasPKey, Record::kPKey, std::uint16_t{0xFFFF});
        request.With(Record::kHasFlowLabel, Record::kFlowLabel, std::uint32_t{0});
        request.With(Record::kHasSl, Record::kSl, std::uint8_t{0});
        return request;
    }
    /// Does a Set or Delete as the node `from`.
    SaStatus Do(Method method, const Request& request, std::uint32_t from) {
        Query query = net_.Question(request.mask, request.record.octets());
        query.method = method;
        query.requester = net_.at(from, 1);
        answer_ = Record{};
        std::array<std::uint8_t, sizeof(Record)> octets{};
        const SaStatus status = records_.Change(query, 5, octets);
        if (status == SaStatus::kOk) answer_ = std::bit_cast<Record>(octets);
        return status;
    }
    SaStatus Set(const Request& request, std::uint32_t from) {
        return Do(Method::kSet, request, from);
    }
    SaStatus Delete(const Request& request, std::uint32_t from) {
        return Do(Method::kDelete, request, from);
    }
    std::vector<Record> Ask(const Request& request) {
        const Told told = net_.Ask(records_, request.mask, request.record.octets(), 1);
        std::vector<Record> found;
        for (const auto& octets : told.records) {
            Record record;
            std::copy(octets.begin(), octets.end(), record.octets().begin());
            found.push_back(record);
        }
        return found;
    }

    RecordNet net_;
    GroupStore store_{kRoom};
    std::vector<AliasGuids::Row> alias_rows_{4};
    std::vector<AliasIndex> alias_slots_ =
        std::vector<AliasIndex>(RowIndex<AliasIndex>::SlotsFor(4));
    std::vector<AliasIndex> place_slots_ = alias_slots_;
    AliasGuids aliases_{{alias_rows_, alias_slots_, place_slots_}};
    McMemberRecords records_{net_.view(), store_.groups(), aliases_};
    Record answer_;
};

}  // namespace ember::testing
