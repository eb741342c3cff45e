// SPDX-License-Identifier: Apache-2.0
// EmberSM: what survives a restart of a machine without an operating system.
#pragma once

#include <cstddef>
#include <span>

#include "core/platform.h"
#include "platform/bare/cfi_flash.h"
#include "platform/flash/flash_area.h"
#include "platform/flash/flash_opening.h"
#include "platform/flash/flash_store.h"

namespace ember::bare {

/// A Store that waits for another one: for the start, where nothing else is to be done. The wait
/// ends because a device may be busy for so long and no longer.
class WaitingStore final : public Store {
public:
    explicit WaitingStore(Store& store) : store_(store) {}
    Status Save(StoreSlot slot, std::span<const std::byte> octets) override {
        Status status = Status::kBusy;
        while (status == Status::kBusy) {
            status = store_.Save(slot, octets);
        }
        return status;
    }
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override {
        Result<std::size_t> loaded = store_.Load(slot, octets);
        while (loaded.status() == Status::kBusy) {
            loaded = store_.Load(slot, octets);
        }
        return loaded;
    }

private:
    Store& store_;
};

/// The store of an image, in the part of the flash memory that machine.h sets aside for it: driver,
/// label and log. The part is for this alone: if it holds something else, it is formatted.
class KeptState {
public:
    explicit KeptState(const Clock& clock);
    KeptState(const KeptState&) = delete;
    KeptState& operator=(const KeptState&) = delete;

    /// Waits for the flash. False: nothing can be kept, and store() is not to be used.
    [[nodiscard]] bool Open(const FlashContents& contents);
    /// Says over the UART, in a line, what Open() found.
    void SayWhatWasFound() const;

    /// Saves in steps: one write a call, and kBusy until all is done.
    [[nodiscard]] FlashStore& store() { return store_; }
    /// The same, and waits.
    [[nodiscard]] WaitingStore& waited() { return waited_; }

private:
    MappedCfiBus bus_;
    CfiFlash flash_;
    FlashArea area_;
    FlashStore store_;
    WaitingStore waited_;
    Status driver_ = Status::kAbsent;
    FlashOpening opening_ = FlashOpening::kUnreadable;
};

}  // namespace ember::bare
