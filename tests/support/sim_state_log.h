// SPDX-License-Identifier: Apache-2.0
// EmberSM: the log of a simulated subnet manager, and what a power loss leaves of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/platform.h"

namespace ember::testing {

/// A StateLog in memory that outlives the subnet manager, as a disk would.
class SimStateLog final : public StateLog {
public:
    Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> octets) override {
        if (broken_) return Status::kDevice;
        if (!has_any_) return Status::kAbsent;
        const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(offset, in_force_.size()));
        const std::size_t count = std::min(octets.size(), in_force_.size() - at);
        std::copy_n(in_force_.begin() + static_cast<std::ptrdiff_t>(at), count, octets.begin());
        return count;
    }
    [[nodiscard]] std::uint64_t AgeSeconds() override { return age_s_; }

    Status Begin() override {
        if (IsBusy()) return Status::kBusy;
        if (broken_) return Status::kDevice;
        fresh_.clear();
        is_fresh_ = true;
        safe_ = 0;
        return Status::kOk;
    }
    Status Append(std::span<const std::byte> octets) override {
        if (IsBusy()) return Status::kBusy;
        if (broken_) return Status::kDevice;
        std::vector<std::byte>& to = is_fresh_ ? fresh_ : in_force_;
        if (to.size() + octets.size() > capacity_) return Status::kFull;
        to.insert(to.end(), octets.begin(), octets.end());
        ++appends_;
        if (!holds_back_) safe_ = to.size();
        return Status::kOk;
    }
    Status Commit() override {
        if (IsBusy()) return Status::kBusy;
        if (broken_) return Status::kDevice;
        in_force_ = fresh_;
        has_any_ = true;
        is_fresh_ = false;
        safe_ = in_force_.size();
        ++generations_;
        return Status::kOk;
    }
    [[nodiscard]] std::uint64_t SafeBytes() const override { return safe_; }

    // Mishaps of a disk.
    void SetBroken(bool broken) { broken_ = broken; }
    /// So many calls are told to ask again.
    void SetBusy(std::uint64_t calls) { busy_ = calls; }
    /// Octets appended are not safe before the next Commit(), or until this is called again.
    void HoldBack(bool holds_back) {
        holds_back_ = holds_back;
        if (!holds_back_) safe_ = (is_fresh_ ? fresh_ : in_force_).size();
    }
    void SetCapacity(std::size_t octets) { capacity_ = octets; }
    /// How long ago, in seconds, the log was written to when the next incarnation asks.
    void SetAge(std::uint64_t seconds) { age_s_ = seconds; }

    /// The generation in force, for a test to look at, to cut and to damage.
    [[nodiscard]] std::vector<std::byte>& octets() { return in_force_; }
    void Put(std::vector<std::byte> octets) {
        in_force_ = std::move(octets);
        has_any_ = true;
        is_fresh_ = false;
    }
    [[nodiscard]] std::uint64_t generations() const { return generations_; }
    [[nodiscard]] std::uint64_t appends() const { return appends_; }
    [[nodiscard]] bool is_fresh() const { return is_fresh_; }

private:
    [[nodiscard]] bool IsBusy() {
        if (busy_ == 0) return false;
        --busy_;
        return true;
    }

    std::vector<std::byte> in_force_;
    std::vector<std::byte> fresh_;
    bool has_any_ = false;
    bool is_fresh_ = false;  ///< Append() writes to fresh_.
    bool broken_ = false;
    bool holds_back_ = false;
    std::uint64_t busy_ = 0;
    std::uint64_t safe_ = 0;
    std::size_t capacity_ = ~std::size_t{0};
    std::uint64_t age_s_ = 0;
    std::uint64_t generations_ = 0;
    std::uint64_t appends_ = 0;
};

}  // namespace ember::testing
