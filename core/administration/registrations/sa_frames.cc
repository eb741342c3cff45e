// SPDX-License-Identifier: Apache-2.0
// EmberSM: the format of the journal in which registrations survive a restart.
#include "core/administration/registrations/sa_frames.h"

#include <cstring>

#include "core/base/assert.h"
#include "core/base/crc32.h"

namespace ember {
namespace {

[[nodiscard]] std::uint32_t CrcOf(const SaFrameHead& head, std::span<const std::byte> entries) {
    const auto front = std::as_bytes(std::span(&head, 1)).first(offsetof(SaFrameHead, crc));
    return Crc32(entries, Crc32(front));
}

}  // namespace

Result<SaEntry> TakeEntry(std::span<const std::byte>& octets) {
    SaEntryHead head;
    if (octets.size() < sizeof(head)) return Status::kMalformed;
    std::memcpy(&head, octets.data(), sizeof(head));
    const bool is_right = BodyBytes(head.kind) == head.octets;
    if (!is_right || octets.size() - sizeof(head) < head.octets) return Status::kMalformed;
    const SaEntry entry{head.kind, octets.subspan(sizeof(head), head.octets)};
    octets = octets.subspan(sizeof(head) + head.octets);
    return entry;
}

std::size_t CountEntries(std::span<const std::byte> octets) {
    std::size_t entries = 0;
    while (TakeEntry(octets).ok()) {  // Ends: each takes octets off.
        ++entries;
    }
    return entries;
}

Result<SaFrame> ReadFrame(std::span<const std::byte> octets) {
    SaFrame frame;
    if (octets.size() < sizeof(frame.head)) return Status::kMalformed;
    std::memcpy(&frame.head, octets.data(), sizeof(frame.head));
    const std::size_t length = frame.head.octets;
    const bool is_there = length <= octets.size() - sizeof(frame.head);
    if (frame.head.magic != SaFrameHead::kMagic || !is_there) return Status::kMalformed;
    frame.entries = octets.subspan(sizeof(frame.head), length);
    if (frame.head.crc != CrcOf(frame.head, frame.entries)) return Status::kMalformed;
    std::span<const std::byte> rest = frame.entries;
    while (!rest.empty()) {  // Ends: an entry is taken each time.
        if (!TakeEntry(rest).ok()) return Status::kMalformed;
    }
    return frame;
}

void CloseFrame(std::span<std::byte> frame, SaFrameHead head) {
    EMBER_ASSERT(frame.size() >= sizeof(head));
    const std::span<const std::byte> entries = frame.subspan(sizeof(head));
    head.magic = SaFrameHead::kMagic;
    head.octets = static_cast<std::uint32_t>(entries.size());
    head.crc = CrcOf(head, entries);
    std::memcpy(frame.data(), &head, sizeof(head));
}

}  // namespace ember
