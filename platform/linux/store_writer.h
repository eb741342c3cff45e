// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store whose writing nobody waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>
#include <span>
#include <string>

#include "core/platform.h"

namespace ember {

/// Hands what is saved to a thread, which writes it to the store underneath: a disk may take
/// seconds to say that octets are safe, and a step of the subnet manager may not.
///
/// One save at a time. Save() copies the octets and says kBusy; later calls say kBusy until they
/// are written. Whoever saves that slot next is told how it went: kOk if the octets are the same,
/// or how it failed; other octets are a new save, as is another slot. A failure that its saver has
/// not asked for by then is forgotten: it asks with its octets still in hand, which are saved anew.
/// Load() answers from the copy while that is under way. The thread shares nothing with the subnet
/// manager but the copy, and who has it is told by one state under a lock that is never held while
/// octets are written.
class StoreWriter final : public Store {
public:
    /// `room` holds the largest slot that will be saved. `store` is used by the thread alone while
    /// a save is under way, and otherwise by whoever calls.
    StoreWriter(Store& store, std::span<std::byte> room) : store_(store), room_(room) {}
    /// The same store for whoever builds on what is safe: its Load() says kBusy while that slot is
    /// being written, where the other one tells what will be there.
    [[nodiscard]] Store& strict() { return strict_; }
    StoreWriter(const StoreWriter&) = delete;
    StoreWriter& operator=(const StoreWriter&) = delete;
    ~StoreWriter() { Finish(); }

    /// Starts the thread, with all signals blocked. Empty: it runs; else one sentence.
    [[nodiscard]] std::string Start();
    /// Waits until what was handed over is written, and ends the thread. Save() then waits for the
    /// store itself.
    void Finish();

    // Defined in the class; see engines/spreading_engine.h.
    Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
        return HandOver(slot, octets);
    }
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
        return ReadBack(slot, octets);
    }

private:
    class Strict final : public Store {
    public:
        explicit Strict(StoreWriter& writer) : writer_(writer) {}
        Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
            return writer_.HandOver(slot, octets);
        }
        Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
            return writer_.ReadSafe(slot, octets);
        }

    private:
        StoreWriter& writer_;
    };
    enum class State : std::uint8_t {
        kIdle,     ///< Nobody needs the copy.
        kGiven,    ///< The thread is to write it.
        kWritten,  ///< It did; result_ tells how it went, and nobody has asked yet.
    };

    static void* Run(void* self);
    void Work();
    [[nodiscard]] bool AwaitWork();
    Status HandOver(StoreSlot slot, std::span<const std::byte> octets);
    Result<std::size_t> ReadBack(StoreSlot slot, std::span<std::byte> octets);
    Result<std::size_t> ReadSafe(StoreSlot slot, std::span<std::byte> octets);
    [[nodiscard]] bool Holds(StoreSlot slot, std::span<const std::byte> octets) const;

    Store& store_;
    std::span<std::byte> room_;
    Strict strict_{*this};
    pthread_t thread_{};
    bool is_running_ = false;
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
    // Under the lock. While state_ is kGiven the thread alone touches the copy.
    State state_ = State::kIdle;
    bool shall_end_ = false;
    StoreSlot slot_{};
    std::size_t length_ = 0;
    Status result_ = Status::kOk;
};

}  // namespace ember
