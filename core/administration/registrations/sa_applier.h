// SPDX-License-Identifier: Apache-2.0
// EmberSM: applies entries of a journal to the tables of registrations.
#pragma once

#include <cstdint>

#include "core/administration/registrations/sa_frames.h"
#include "core/administration/registrations/sa_tables.h"
#include "core/fabric/fabric.h"

namespace ember {

/// Applies the entries of a journal, one after the other, wherever they come from: a log, a file,
/// another subnet manager. Nothing in them is believed. The tables tell their sinks nothing of what
/// is put; of what is removed they may.
class SaApplier {
public:
    /// All outlive it.
    struct Parts {
        const Fabric& fabric;
        SaTables tables;
    };

    explicit SaApplier(const Parts& parts) : parts_(parts) {}
    SaApplier(const SaApplier&) = delete;
    SaApplier& operator=(const SaApplier&) = delete;

    /// A journal begins: a copy of everything, then changes.
    void Begin() {
        is_complete_ = false;
        is_overfull_ = false;
        unusable_ = 0;
        moved_ = 0;
    }
    /// The time by the clock of the writer, from which its leases count.
    void SetClock(std::uint64_t clock_us) { clock_us_ = clock_us; }
    /// Applies an entry and counts what comes of it.
    void Apply(const SaEntry& entry, std::uint64_t now_us) { Count(Try(entry, now_us)); }
    /// As Apply(), in two parts, for a caller that makes room and tries again.
    [[nodiscard]] Status Try(const SaEntry& entry, std::uint64_t now_us);
    void Count(Status status) {
        if (status != Status::kOk) ++unusable_;
        if (status == Status::kFull) is_overfull_ = true;
    }

    // Since Begin().
    [[nodiscard]] bool is_complete() const { return is_complete_; }  ///< The copy is over.
    /// A table was too small.
    [[nodiscard]] bool is_overfull() const { return is_overfull_; }
    /// Entries that make no sense, or do not fit this board.
    [[nodiscard]] std::uint64_t unusable() const { return unusable_; }
    /// Groups that have another MLID than the entry said.
    [[nodiscard]] std::uint64_t moved() const { return moved_; }

private:
    [[nodiscard]] Status ObeyGroup(const GroupEntry& entry);
    [[nodiscard]] Status ObeyMember(const MemberEntry& entry);
    void ForgetMember(const MemberEntry& entry);
    [[nodiscard]] Status ObeyAlias(const AliasEntry& entry);
    [[nodiscard]] Status ObeyService(const ServiceEntry& entry, std::uint64_t now_us);
    void ForgetService(const ServiceNameEntry& entry);
    [[nodiscard]] Status ObeySubscription(const SubscriptionEntry& entry);
    void ForgetSubscription(const SubscriptionEntry& entry);

    Parts parts_;
    std::uint64_t clock_us_ = 0;
    bool is_complete_ = false;
    bool is_overfull_ = false;
    std::uint64_t unusable_ = 0;
    std::uint64_t moved_ = 0;
};

}  // namespace ember
