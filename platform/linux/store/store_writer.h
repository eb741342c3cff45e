// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store that is written by a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/platform.h"
#include "platform/linux/system/worker_thread.h"

namespace ember {

/// Hands what is saved to a thread, which writes it to the store underneath: a disk may take
/// seconds to say that octets are safe, and a step of the subnet manager may not.
///
/// Saves go one at a time. Save() copies the octets and says kBusy; later calls say kBusy until
/// they are written. The next Save() of that slot tells the result: kOk if the octets are the same,
/// or how it failed; other octets are a new save, as is another slot. A failure that was not asked
/// for by then is forgotten: its saver asks with its octets still in hand, which are saved anew.
/// Load() answers from the copy while that is under way. The thread shares nothing with the subnet
/// manager but the copy. The state tells which of the two may touch the copy; it stands under a
/// lock that is never held while octets are written.
class StoreWriter final : public Store {
public:
    /// `room` holds the largest slot that will be saved. `store` is used by the thread alone while
    /// a save is under way, and otherwise by the caller's thread.
    StoreWriter(Store& store, std::span<std::byte> room) : store_(store), room_(room) {}
    /// The same store for a caller that relies on what is safe: its Load() says kBusy while that
    /// slot is being written, where the other one tells what will be there.
    [[nodiscard]] Store& strict() { return strict_; }
    StoreWriter(const StoreWriter&) = delete;
    StoreWriter& operator=(const StoreWriter&) = delete;
    ~StoreWriter() { Finish(); }

    /// Starts the thread, with all signals blocked. Empty: it runs; else one sentence.
    [[nodiscard]] std::string Start();
    /// Waits until what was handed over is written, and ends the thread. Save() then waits for the
    /// store itself.
    void Finish();

    Status Save(StoreSlot slot, std::span<const std::byte> octets) override;
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override;

private:
    class Strict final : public Store {
    public:
        explicit Strict(StoreWriter& writer) : writer_(writer) {}
        Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
            return writer_.Save(slot, octets);
        }
        Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
            return writer_.ReadSafe(slot, octets);
        }

    private:
        StoreWriter& writer_;
    };
    enum class State : std::uint8_t {
        kIdle,     ///< The copy is free.
        kGiven,    ///< The thread is to write it.
        kWritten,  ///< The thread has; result_ tells how it went, and was not asked for yet.
    };

    void Work();
    [[nodiscard]] bool AwaitWork();
    Result<std::size_t> ReadSafe(StoreSlot slot, std::span<std::byte> octets);
    [[nodiscard]] bool Holds(StoreSlot slot, std::span<const std::byte> octets) const;

    Store& store_;
    std::span<std::byte> room_;
    Strict strict_{*this};
    WorkerThread thread_;
    // Under its lock. While state_ is kGiven the thread alone touches the copy.
    State state_ = State::kIdle;
    StoreSlot slot_{};
    std::size_t length_ = 0;
    Status result_ = Status::kOk;
};

}  // namespace ember
