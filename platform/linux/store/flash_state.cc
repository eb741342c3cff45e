// SPDX-License-Identifier: Apache-2.0
// EmberSM: what shall survive a restart, in a flash memory of Linux.
#include "platform/linux/store/flash_state.h"

#include <utility>

#include "platform/linux/system/locked.h"

namespace ember {

std::string FlashState::Open(const FlashPart& part, const FlashContents& contents, bool may_format,
                             std::string& said) {
    const std::string wrong = flash_.Open(part);
    if (!wrong.empty()) return wrong;
    const FlashGeometry geometry = flash_.geometry();
    const FlashOpening opening = OpenFlash(area_, store_, geometry, contents, may_format);
    if (opening == FlashOpening::kOurs) return {};
    std::string sentence = "the flash " + part.path + " " + std::string(Explain(opening));
    if (opening == FlashOpening::kForeign) sentence += "; --format-flash erases it";
    if (opening == FlashOpening::kTooSmall) {
        const std::uint64_t least = FlashArea::LeastBytes(geometry, contents.Needs());
        sentence += ": " + std::to_string(least) + " octets are needed";
    }
    if (!IsOpen(opening)) return sentence;
    said = std::move(sentence);
    return {};
}

Status FlashState::Save(StoreSlot slot, std::span<const std::byte> octets) {
    const Locked locked(lock_);
    return store_.Save(slot, octets);
}

Result<std::size_t> FlashState::Load(StoreSlot slot, std::span<std::byte> octets) {
    const Locked locked(lock_);
    return store_.Load(slot, octets);
}

}  // namespace ember
