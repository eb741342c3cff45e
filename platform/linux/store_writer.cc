// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store whose writing nobody waits for.

#include "platform/linux/store_writer.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "platform/linux/locked.h"

namespace ember {

std::string StoreWriter::Start() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // The thread inherits it: signals are the loop's.
    const int error = pthread_create(&thread_, nullptr, &StoreWriter::Run, this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) return std::string("cannot start a thread: ") + std::strerror(error);
    is_running_ = true;
    return {};
}

void StoreWriter::Finish() {
    if (!is_running_) return;
    {
        const Locked locked(lock_);
        shall_end_ = true;
        pthread_cond_signal(&changed_);
    }
    pthread_join(thread_, nullptr);
    is_running_ = false;
}

void* StoreWriter::Run(void* self) {
    static_cast<StoreWriter*>(self)->Work();
    return nullptr;
}

/// Sleeps until there is something to write; false: there never will be.
bool StoreWriter::AwaitWork() {
    const Locked locked(lock_);
    while (state_ != State::kGiven && !shall_end_) {
        pthread_cond_wait(&changed_, &lock_);
    }
    return state_ == State::kGiven;
}

void StoreWriter::Work() {
    while (AwaitWork()) {  // Ends with Finish().
        const Status result = store_.Save(slot_, room_.first(length_));
        const Locked locked(lock_);
        result_ = result;
        state_ = State::kWritten;
    }
}

bool StoreWriter::Holds(StoreSlot slot, std::span<const std::byte> octets) const {
    return slot == slot_ && octets.size() == length_ &&
           std::equal(octets.begin(), octets.end(), room_.begin());
}

Status StoreWriter::HandOver(StoreSlot slot, std::span<const std::byte> octets) {
    if (!is_running_) return store_.Save(slot, octets);
    if (octets.size() > room_.size()) return Status::kFull;
    const Locked locked(lock_);
    if (state_ == State::kGiven) return Status::kBusy;
    if (state_ == State::kWritten) {
        state_ = State::kIdle;
        // How it went is for whoever saves that slot; what is saved to another one is a new save.
        const bool is_told = slot == slot_ && (result_ != Status::kOk || Holds(slot, octets));
        if (is_told) return result_;
    }
    std::copy(octets.begin(), octets.end(), room_.begin());
    slot_ = slot;
    length_ = octets.size();
    state_ = State::kGiven;
    pthread_cond_signal(&changed_);
    return Status::kBusy;
}

Result<std::size_t> StoreWriter::ReadSafe(StoreSlot slot, std::span<std::byte> octets) {
    const Locked locked(lock_);
    if (state_ == State::kGiven && slot == slot_) return Status::kBusy;
    return store_.Load(slot, octets);
}

Result<std::size_t> StoreWriter::ReadBack(StoreSlot slot, std::span<std::byte> octets) {
    const Locked locked(lock_);
    if (state_ != State::kGiven) return store_.Load(slot, octets);
    // The thread only reads the copy meanwhile. Of another slot nothing is under way, and stores
    // keep their slots apart.
    if (slot != slot_) return store_.Load(slot, octets);
    if (length_ > octets.size()) return Status::kFull;
    std::copy_n(room_.begin(), length_, octets.begin());
    return length_;
}

}  // namespace ember
