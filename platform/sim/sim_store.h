// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a simulated subnet manager keeps over its restarts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/platform.h"

namespace ember::sim {

/// A Store in memory: it outlives the subnet manager that writes to it, as a disk would.
class SimStore final : public Store {
public:
    /// Room for `slot_bytes` in every slot; larger saves fail with kDevice.
    explicit SimStore(std::size_t slot_bytes = std::size_t{1} << 20U) {
        for (Slot& slot : slots_) {
            slot.octets.reserve(slot_bytes);
        }
    }

    Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
        Slot& kept = slots_[static_cast<std::size_t>(slot)];
        if (broken_ || octets.size() > kept.octets.capacity()) return Status::kDevice;
        if (busy_ != 0) {
            --busy_;
            return Status::kBusy;
        }
        kept.octets.assign(octets.begin(), octets.end());
        kept.state = Status::kOk;
        ++saves_;
        return Status::kOk;
    }

    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
        const Slot& kept = slots_[static_cast<std::size_t>(slot)];
        if (broken_) return Status::kDevice;
        if (kept.state != Status::kOk) return kept.state;
        if (kept.octets.size() > octets.size()) return Status::kFull;
        std::copy(kept.octets.begin(), kept.octets.end(), octets.begin());
        return kept.octets.size();
    }

    // Faults of a disk.
    void Damage(StoreSlot slot) {
        slots_[static_cast<std::size_t>(slot)].state = Status::kMalformed;
    }
    void Forget(StoreSlot slot) { slots_[static_cast<std::size_t>(slot)].state = Status::kAbsent; }
    void SetBroken(bool broken) { broken_ = broken; }
    [[nodiscard]] bool is_broken() const { return broken_; }
    /// So many calls of Save() are told to ask again, as by a slow disk.
    void SetBusy(std::uint64_t calls) { busy_ = calls; }
    [[nodiscard]] std::uint64_t busy() const { return busy_; }

    [[nodiscard]] std::uint64_t saves() const { return saves_; }
    [[nodiscard]] std::span<const std::byte> octets(StoreSlot slot) const {
        return slots_[static_cast<std::size_t>(slot)].octets;
    }

private:
    static constexpr std::size_t kSlots = 6;
    struct Slot {
        Status state = Status::kAbsent;
        std::vector<std::byte> octets;
    };

    std::array<Slot, kSlots> slots_;
    std::uint64_t saves_ = 0;
    bool broken_ = false;
    std::uint64_t busy_ = 0;
};

}  // namespace ember::sim
