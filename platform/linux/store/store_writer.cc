// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store that is written by a thread of its own.

#include "platform/linux/store/store_writer.h"

#include <algorithm>

#include "platform/linux/system/locked.h"

namespace ember {

std::string StoreWriter::Start() {
    return thread_.Start([](void* self) { static_cast<StoreWriter*>(self)->Work(); }, this);
}

void StoreWriter::Finish() {
    thread_.Finish();
}

/// Sleeps until there is something to write; false: there never will be.
bool StoreWriter::AwaitWork() {
    const Locked locked(thread_.lock());
    while (state_ != State::kGiven && !thread_.shall_end()) {
        thread_.Sleep();
    }
    return state_ == State::kGiven;
}

void StoreWriter::Work() {
    while (AwaitWork()) {  // Ends with Finish().
        const Status result = store_.Save(slot_, room_.first(length_));
        const Locked locked(thread_.lock());
        result_ = result;
        state_ = State::kWritten;
    }
}

bool StoreWriter::Holds(StoreSlot slot, std::span<const std::byte> octets) const {
    return slot == slot_ && octets.size() == length_ &&
           std::equal(octets.begin(), octets.end(), room_.begin());
}

Status StoreWriter::Save(StoreSlot slot, std::span<const std::byte> octets) {
    if (!thread_.is_running()) return store_.Save(slot, octets);
    if (octets.size() > room_.size()) return Status::kFull;
    const Locked locked(thread_.lock());
    if (state_ == State::kGiven) return Status::kBusy;
    if (state_ == State::kWritten) {
        state_ = State::kIdle;
        // The result is for the next save of that slot; a save of another slot is a new one.
        const bool is_same_save = slot == slot_ && (result_ != Status::kOk || Holds(slot, octets));
        if (is_same_save) return result_;
    }
    std::copy(octets.begin(), octets.end(), room_.begin());
    slot_ = slot;
    length_ = octets.size();
    state_ = State::kGiven;
    thread_.Wake();
    return Status::kBusy;
}

Result<std::size_t> StoreWriter::ReadSafe(StoreSlot slot, std::span<std::byte> octets) {
    const Locked locked(thread_.lock());
    if (state_ == State::kGiven && slot == slot_) return Status::kBusy;
    return store_.Load(slot, octets);
}

Result<std::size_t> StoreWriter::Load(StoreSlot slot, std::span<std::byte> octets) {
    const Locked locked(thread_.lock());
    if (state_ != State::kGiven) return store_.Load(slot, octets);
    // The thread only reads the copy meanwhile. Of another slot nothing is under way, and stores
    // keep their slots apart.
    if (slot != slot_) return store_.Load(slot, octets);
    if (length_ > octets.size()) return Status::kFull;
    std::copy_n(room_.begin(), length_, octets.begin());
    return length_;
}

}  // namespace ember
