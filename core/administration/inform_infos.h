// SPDX-License-Identifier: Apache-2.0
// EmberSM: to subscribe to notices, and to ask who did.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/record_source.h"
#include "core/administration/subscriptions.h"
#include "core/fabric/events.h"

namespace ember {

/// InformInfo: Set subscribes, or ends a subscription that is alike. Who asks about a GID or about
/// LIDs must share a partition with those ports; violations of keys (traps 256 to 259) are for
/// trusted subscribers only. Source: reference opensm-behaviour 13.
class InformInfos final : public RecordSource {
public:
    struct Parts {
        const AdministrationView& view;
        Subscriptions& subscriptions;
        const SubnetEvents& events;
    };

    explicit InformInfos(const Parts& parts) : parts_(parts) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kInformInfo,
                .record_octets = sizeof(InformInfo),
                .get = false,
                .get_table = false,
                .set = true};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override {
        return SaStatus::kUnsupportedMethod;
    }
    [[nodiscard]] Found Next(const Query& /*query*/,
                             Cursor& /*cursor*/,
                             std::uint32_t& /*budget*/,
                             std::span<std::uint8_t> /*record*/) override {
        return Found::kEnd;
    }
    [[nodiscard]] SaStatus Change(const Query& query,
                                  std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> record) override {
        return Obey(query, record);
    }

private:
    [[nodiscard]] SaStatus Obey(const Query& query, std::span<std::uint8_t> record);
    [[nodiscard]] bool MayHear(const Query& query, const InformInfo& info) const;

    Parts parts_;
};

/// InformInfoRecord: subscriptions. The QPN is told to trusted questions only.
class InformInfoRecords final : public RecordSource {
public:
    InformInfoRecords(const AdministrationView& view, const Subscriptions& subscriptions)
        : view_(view), subscriptions_(subscriptions) {}

    [[nodiscard]] Traits traits() const override {
        return {.attribute = SaAttribute::kInformInfoRecord,
                .record_octets = sizeof(InformInfoRecord)};
    }
    [[nodiscard]] SaStatus Check(const Query& /*query*/) const override { return SaStatus::kOk; }
    [[nodiscard]] Found Next(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) override {
        return Tell(query, cursor, budget, record);
    }
    [[nodiscard]] SaStatus Change(const Query& /*query*/,
                                  std::uint64_t /*now_us*/,
                                  std::span<std::uint8_t> /*record*/) override {
        return SaStatus::kUnsupportedMethod;
    }

private:
    [[nodiscard]] Found Tell(const Query& query,
                             Cursor& cursor,
                             std::uint32_t& budget,
                             std::span<std::uint8_t> record) const;

    const AdministrationView& view_;
    const Subscriptions& subscriptions_;
};

}  // namespace ember
