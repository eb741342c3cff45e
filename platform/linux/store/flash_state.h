// SPDX-License-Identifier: Apache-2.0
// EmberSM: what shall survive a restart, in a flash memory of Linux.
#pragma once

#include <cstddef>
#include <pthread.h>
#include <span>
#include <string>

#include "core/platform.h"
#include "platform/flash/flash_area.h"
#include "platform/flash/flash_opening.h"
#include "platform/flash/flash_store.h"
#include "platform/linux/store/linux_flash.h"

namespace ember {

/// A Store for two threads in a part of a flash memory: one step at a time, under a lock.
class FlashState final : public Store {
public:
    explicit FlashState(FlashKernel& kernel = TheFlashKernel()) : flash_(kernel) {}
    FlashState(const FlashState&) = delete;
    FlashState& operator=(const FlashState&) = delete;

    /// Opens the part and looks whose it is. A blank one is taken; one that holds something else
    /// only with `may_format`, and then it is lost; one of ours is never formatted. Empty: it
    /// worked, and `said` has a sentence about what an operator ought to know, or nothing. Else one
    /// sentence on what is wrong. No full stops.
    [[nodiscard]] std::string Open(const FlashPart& part, const FlashContents& contents,
                                   bool may_format, std::string& said);

    Status Save(StoreSlot slot, std::span<const std::byte> octets) override;
    Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) override;

private:
    LinuxFlash flash_;
    FlashArea area_{flash_};
    FlashStore store_{flash_};
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace ember
