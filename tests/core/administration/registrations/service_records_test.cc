// SPDX-License-Identifier: Apache-2.0
// EmberSM: services: who may register what, who sees it, and when it ends.
#include "core/administration/registrations/service_records.h"

#include <array>
#include <bit>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tuple>
#include <vector>

#include "tests/core/administration/record_net.h"

namespace ember::testing {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint64_t kNames =
    1U << ServiceRecord::kHasServiceId | 1U << ServiceRecord::kHasServiceGid;

/// Rows for services, and the object over them.
struct Store {
    explicit Store(std::size_t count)
        : rows(count),
          slots(RowIndex<ServiceIndex>::SlotsFor(count)),
          services(Services::Memory{rows, slots}) {}
    std::vector<Services::Row> rows;
    std::vector<ServiceIndex> slots;
    Services services;
};

ServiceRecord Service(std::uint64_t id, Guid host, std::uint16_t p_key = 0xFFFF) {
    ServiceRecord record;
    record.Set(ServiceRecord::kServiceId, id);
    record.SetGid({0xFE80000000000000, Raw(host)});
    record.Set(ServiceRecord::kServicePKey, p_key);
    record.Set(ServiceRecord::kServiceLease, ServiceRecord::kForever);
    for (std::size_t i = 32; i < sizeof(ServiceRecord); ++i) {
        record.octets()[i] = static_cast<std::uint8_t>(id + i);
    }
    return record;
}

class ServiceRecordsTest : public ::testing::Test {
protected:
    SaStatus Set(std::uint64_t mask, const ServiceRecord& record) {
        return Change(Method::kSet, mask, record);
    }
    /// As the node `from`.
    SaStatus Change(Method method, std::uint64_t mask, const ServiceRecord& record,
                    std::uint32_t from = 0) {
        Query query = net.Question(mask, record.octets());
        query.method = method;
        query.requester = net.at(from, 1);
        return source.Change(query, now_us, answer.octets());
    }
    [[nodiscard]] Guid host() { return net.port(0, 1).guid; }

    RecordNet net;
    Store store{16};
    std::vector<AliasGuids::Row> alias_rows = std::vector<AliasGuids::Row>(4);
    std::vector<AliasIndex> alias_slots =
        std::vector<AliasIndex>(RowIndex<AliasIndex>::SlotsFor(4));
    std::vector<AliasIndex> place_slots = alias_slots;
    AliasGuids aliases{{alias_rows, alias_slots, place_slots}};
    ServiceRecords source{net.view(), store.services, aliases};
    ServiceRecord answer;
    std::uint64_t now_us = 5 * kSecond;
};

TEST_F(ServiceRecordsTest, ARegistrationNamesServiceAndPort) {
    const ServiceRecord record = Service(7, host());
    EXPECT_EQ(Set(1U << ServiceRecord::kHasServiceId, record), SaStatus::kInsufficientComponents);
    EXPECT_EQ(Set(1U << ServiceRecord::kHasServiceGid, record), SaStatus::kInsufficientComponents);
    EXPECT_EQ(store.services.count(), 0U);
    EXPECT_EQ(Set(kNames, record), SaStatus::kOk);
    EXPECT_EQ(store.services.count(), 1U);
    net.trusted = true;
    EXPECT_EQ(Set(kNames, record), SaStatus::kOk);
    EXPECT_EQ(answer, record) << "the answer is what was registered";
    net.trusted = false;
    EXPECT_EQ(Set(kNames, record), SaStatus::kOk);
    EXPECT_EQ(answer.octets()[ServiceRecord::kServiceKey.octet()], 0) << "but not its key";
    EXPECT_EQ(answer.octets()[ServiceRecord::kServiceName.octet()],
              record.octets()[ServiceRecord::kServiceName.octet()]);
}

TEST_F(ServiceRecordsTest, WithoutPKeyOrLeaseItIsInTheDefaultPartitionForEver) {
    ServiceRecord record = Service(7, host(), 0x1234);
    record.Set(ServiceRecord::kServiceLease, 5U);
    ASSERT_EQ(Set(kNames, record), SaStatus::kOk);
    EXPECT_EQ(answer.Get(ServiceRecord::kServicePKey), 0xFFFF);
    EXPECT_EQ(answer.Get(ServiceRecord::kServiceLease), ServiceRecord::kForever);
    store.services.Expire(now_us + 1'000'000 * kSecond);
    EXPECT_EQ(store.services.count(), 1U);
}

TEST_F(ServiceRecordsTest, AForeignPartitionOrAnUnknownPortIsRefused) {
    const std::uint64_t mask = kNames | 1U << ServiceRecord::kHasServicePKey;
    EXPECT_EQ(Set(mask, Service(7, host(), 0x1234)), SaStatus::kRequestInvalid);
    EXPECT_EQ(Set(mask, Service(7, Guid{0xABCD})), SaStatus::kRequestInvalid);
    EXPECT_EQ(store.services.count(), 0U);
}

TEST_F(ServiceRecordsTest, TheSameNamesReplaceAndOthersDoNot) {
    ASSERT_EQ(Set(kNames, Service(7, host())), SaStatus::kOk);
    ServiceRecord other = Service(7, host());
    other.octets()[60] ^= 0xFF;
    ASSERT_EQ(Set(kNames, other), SaStatus::kOk);
    EXPECT_EQ(store.services.count(), 1U);
    net.trusted = true;
    ASSERT_EQ(Set(kNames, Service(7, net.port(1, 1).guid)), SaStatus::kOk);
    EXPECT_EQ(store.services.count(), 2U);
    const Told told = net.Ask(source, kNames, Service(7, host()).octets());
    ASSERT_EQ(told.records.size(), 1U);
    EXPECT_EQ(told.records[0][60], other.octets()[60]);
}

TEST_F(ServiceRecordsTest, AServiceOfAnotherGidIsForTheTrustedToChange) {
    const ServiceRecord of_other = Service(7, net.port(1, 1).guid);
    EXPECT_EQ(Change(Method::kSet, kNames, of_other, 0), SaStatus::kRequestDenied);
    EXPECT_EQ(store.services.count(), 0U);
    ASSERT_EQ(Change(Method::kSet, kNames, of_other, 1), SaStatus::kOk);
    EXPECT_EQ(Change(Method::kSet, kNames, of_other, 0), SaStatus::kRequestDenied);
    EXPECT_EQ(Change(Method::kDelete, kNames, of_other, 0), SaStatus::kRequestDenied);
    net.settings().sa_allow_proxies = true;
    EXPECT_EQ(Change(Method::kSet, kNames, of_other, 0), SaStatus::kOk);
    net.settings().sa_allow_proxies = false;
    net.trusted = true;
    EXPECT_EQ(Change(Method::kDelete, kNames, of_other, 0), SaStatus::kOk);
}

TEST_F(ServiceRecordsTest, AnAliasIsAGidOfItsPort) {
    const ServiceRecord of_alias = Service(7, Guid{0xA11A5});
    EXPECT_EQ(Set(kNames, of_alias), SaStatus::kRequestDenied);
    ASSERT_EQ(aliases.Put(host(), 1, Guid{0xA11A5}), Status::kOk);
    EXPECT_EQ(Set(kNames, of_alias), SaStatus::kOk);
    EXPECT_EQ(Change(Method::kDelete, kNames, of_alias, 1), SaStatus::kRequestDenied);
    EXPECT_EQ(Change(Method::kDelete, kNames, of_alias, 0), SaStatus::kOk);
}

TEST_F(ServiceRecordsTest, AServiceWithAKeyIsChangedByItsRegistrarAndByWhoSaysTheKey) {
    const ServiceRecord record = Service(7, host());
    ServiceRecord keyless = record;
    for (std::size_t i = 0; i < ServiceRecord::kServiceKey.octets(); ++i) {
        keyless.octets()[ServiceRecord::kServiceKey.octet() + i] = 0;
    }
    ServiceRecord wrong = record;
    wrong.octets()[ServiceRecord::kServiceKey.octet() + 15] ^= 1;
    ASSERT_EQ(Set(kNames, keyless), SaStatus::kOk);
    ASSERT_EQ(Set(kNames, record), SaStatus::kOk) << "it had none";
    net.settings().sa_allow_proxies = true;  // Keys count all the same.
    for (const ServiceRecord& said : {keyless, wrong}) {
        EXPECT_EQ(Change(Method::kSet, kNames, said, 1), SaStatus::kRequestDenied);
        EXPECT_EQ(Change(Method::kDelete, kNames, said, 1), SaStatus::kRequestDenied);
    }
    EXPECT_EQ(Change(Method::kDelete, kNames, record, 1), SaStatus::kOk);
    ASSERT_EQ(Set(kNames, record), SaStatus::kOk);
    EXPECT_EQ(Change(Method::kDelete, kNames, keyless), SaStatus::kOk) << "osmtest does so";
    ASSERT_EQ(Set(kNames, record), SaStatus::kOk);
    net.trusted = true;
    EXPECT_EQ(Change(Method::kDelete, kNames, wrong, 1), SaStatus::kOk);
}

TEST_F(ServiceRecordsTest, ALeaseEndsToTheSecondAndShowsWhatIsLeft) {
    ServiceRecord record = Service(7, host());
    record.Set(ServiceRecord::kServiceLease, 10U);
    ASSERT_EQ(Set(kNames | 1U << ServiceRecord::kHasServiceLease, record), SaStatus::kOk);
    EXPECT_EQ(store.services.NextDeadlineUs(), now_us + 10 * kSecond);
    store.services.Expire(now_us + 4 * kSecond);
    const Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 1U);
    EXPECT_EQ(told.records[0][31], 6) << "seconds left";
    store.services.Expire(now_us + 10 * kSecond - 1);
    EXPECT_EQ(store.services.count(), 1U);
    store.services.Expire(now_us + 10 * kSecond);
    EXPECT_EQ(store.services.count(), 0U);
    EXPECT_EQ(store.services.expired(), 1U);
    EXPECT_EQ(store.services.NextDeadlineUs(), kNever);
}

TEST_F(ServiceRecordsTest, ItIsFoundByEachComponent) {
    net.trusted = true;
    for (std::uint64_t id = 1; id <= 6; ++id) {
        ASSERT_EQ(Set(kNames, Service(id, net.port(id % 3 == 0 ? 1 : 0, 1).guid)), SaStatus::kOk);
    }
    FindsByEachComponent(net, source, ServiceRecord::kComponents);
}

TEST_F(ServiceRecordsTest, TheKeyIsForTrustedQuestionsOnly) {
    ASSERT_EQ(Set(kNames, Service(7, host())), SaStatus::kOk);
    constexpr std::size_t kKey = ServiceRecord::kServiceKey.octet();
    Told told = net.AskAll(source);
    ASSERT_EQ(told.records.size(), 1U);
    EXPECT_EQ(told.records[0][kKey], 0);
    EXPECT_NE(told.records[0][kKey + 16], 0) << "the name is told";
    // A client that knows the key may ask by it, and is not told it either.
    const std::uint64_t by_key = 1U << ServiceRecord::kHasServiceKey;
    EXPECT_TRUE(net.Ask(source, by_key, Service(8, host()).octets()).records.empty());
    told = net.Ask(source, by_key, Service(7, host()).octets());
    ASSERT_EQ(told.records.size(), 1U);
    EXPECT_EQ(told.records[0][kKey], 0);
    net.trusted = true;
    told = net.Ask(source, by_key, Service(7, host()).octets());
    ASSERT_EQ(told.records.size(), 1U);
    EXPECT_NE(told.records[0][kKey], 0);
}

TEST_F(ServiceRecordsTest, AWithdrawalNamesAllThree) {
    ASSERT_EQ(Set(kNames, Service(7, host())), SaStatus::kOk);
    EXPECT_EQ(Change(Method::kDelete, kNames, Service(8, host())), SaStatus::kNoRecords);
    EXPECT_EQ(Change(Method::kDelete, 0, Service(7, net.port(1, 1).guid)), SaStatus::kNoRecords);
    EXPECT_EQ(store.services.count(), 1U);
    EXPECT_EQ(Change(Method::kDelete, 0, Service(7, host(), 0)), SaStatus::kOk);
    EXPECT_EQ(store.services.count(), 0U);
    EXPECT_TRUE(net.AskAll(source).records.empty());
}

TEST_F(ServiceRecordsTest, OnePortCannotTakeAllTheRows) {
    std::uint64_t id = 0;
    SaStatus status = SaStatus::kOk;
    while (status == SaStatus::kOk && id < 100) {
        status = Set(kNames, Service(++id, host()));
    }
    EXPECT_EQ(status, SaStatus::kNoResources);
    EXPECT_EQ(store.services.count(), 8U) << "half of the rows";
    // The port may renew the services that it has, and another port has its share.
    EXPECT_EQ(Set(kNames, Service(1, host())), SaStatus::kOk);
    EXPECT_EQ(Change(Method::kSet, kNames, Service(500, net.port(1, 1).guid), 1), SaStatus::kOk);
}

/// The table agrees with a plain list, whatever is registered, withdrawn, or left to its end.
RC_GTEST_PROP(Services, AreAMapWithLeases, ()) {
    Store store(12);
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint16_t>;
    std::map<Key, std::uint64_t> model;  // To the end of the lease.
    std::uint64_t now_us = 0;
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
        const auto id = *rc::gen::inRange<std::uint64_t>(0, 6);
        const auto host = *rc::gen::inRange<std::uint64_t>(1, 3);
        const auto p_key = static_cast<std::uint16_t>(*rc::gen::inRange(0xFFFE, 0x10000));
        ServiceRecord record = Service(id, Guid{host}, p_key);
        const Key key{id, host, p_key};
        switch (*rc::gen::inRange(0, 3)) {
            case 0: {
                const auto lease = *rc::gen::inRange<std::uint32_t>(0, 20);
                record.Set(ServiceRecord::kServiceLease, lease);
                // Everybody is somebody else here: no share is used up.
                const Guid owner{static_cast<std::uint64_t>(i) + 1};
                const bool has_room = model.contains(key) || model.size() < store.rows.size();
                RC_ASSERT((store.services.Put(record, owner, now_us) == Status::kOk) == has_room);
                if (has_room) model[key] = now_us + lease * kSecond;
                break;
            }
            case 1: {
                const ServiceIndex at = store.services.Find(record);
                RC_ASSERT((at != kNoService) == model.contains(key));
                if (at != kNoService) store.services.Remove(at);
                model.erase(key);
                break;
            }
            default: {
                now_us += *rc::gen::inRange<std::uint64_t>(0, 8) * kSecond;
                store.services.Expire(now_us);
                std::erase_if(model, [&](const auto& entry) { return entry.second <= now_us; });
            }
        }
        RC_ASSERT(store.services.count() == model.size());
        for (const auto& [known, ends_us] : model) {
            const auto& [known_id, known_host, known_p_key] = known;
            const ServiceIndex at =
                store.services.Find(Service(known_id, Guid{known_host}, known_p_key));
            RC_ASSERT(at != kNoService);
            RC_ASSERT(store.services.row(at).ends_us == ends_us);
        }
    }
}

}  // namespace
}  // namespace ember::testing
