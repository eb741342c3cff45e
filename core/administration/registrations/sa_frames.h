// SPDX-License-Identifier: Apache-2.0
// EmberSM: the format of the journal in which registrations survive a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/assert.h"
#include "core/base/be.h"
#include "core/base/status.h"
#include "core/fabric/sa_state.h"

namespace ember {

/// The head of a frame, before its entries, most significant octets first.
///
/// A journal is a row of frames. The entries of a frame came about together: all of them count, or
/// none. A frame counts when its checksum is right, when it is of the same generation as the first
/// one, and when its number follows that of the frame before; with the first that does not count
/// the journal ends. A journal begins with a copy of everything, which is closed by a kComplete; a
/// journal without that says nothing at all.
struct SaFrameHead {
    static constexpr std::uint32_t kMagic = 0x45534131;  // "ESA1"

    Be<std::uint32_t> magic;
    Be<std::uint32_t> generation;  ///< The same in all frames of a generation.
    Be<std::uint32_t> sequence;    ///< From 0 on.
    Be<std::uint32_t> octets;      ///< Of the entries.
    Be<std::uint64_t> clock_us;    ///< Of the writer, when the frame was closed.
    Be<std::uint32_t> crc;         ///< Crc32() of the head before it and of the entries.
};
static_assert(WireStruct<SaFrameHead> && sizeof(SaFrameHead) == 28);

/// The head of an entry, before its body.
struct SaEntryHead {
    SaEntryKind kind{};
    std::uint8_t octets = 0;  ///< Of the body; see BodyBytes().
};
static_assert(WireStruct<SaEntryHead> && sizeof(SaEntryHead) == 2);
static_assert(kMaxSaBodyBytes <= 255);

inline constexpr std::size_t kMaxSaEntryBytes = sizeof(SaEntryHead) + kMaxSaBodyBytes;

/// An entry where it lies.
struct SaEntry {
    SaEntryKind kind{};
    std::span<const std::byte> body;  ///< BodyBytes(kind) of them.
};

/// The body of an entry. Asserts that `Body` is that of its kind.
template <WireStruct Body>
[[nodiscard]] Body BodyOf(const SaEntry& entry) {
    EMBER_ASSERT(entry.body.size() == sizeof(Body));
    Body body;
    std::memcpy(&body, entry.body.data(), sizeof(body));
    return body;
}

/// Whole entries at the beginning of `octets`.
[[nodiscard]] std::size_t CountEntries(std::span<const std::byte> octets);

/// Takes the first entry off `octets`. kMalformed: they are no whole entry of a kind that is known.
[[nodiscard]] Result<SaEntry> TakeEntry(std::span<const std::byte>& octets);

/// A frame where it lies.
struct SaFrame {
    SaFrameHead head;
    std::span<const std::byte> entries;
    [[nodiscard]] std::size_t bytes() const { return sizeof(SaFrameHead) + entries.size(); }
};

/// The frame that `octets` begin with. kMalformed: the head or the checksum is not right, an entry
/// in it is none, or not all of it is there.
[[nodiscard]] Result<SaFrame> ReadFrame(std::span<const std::byte> octets);

/// Puts the head before the entries: `frame` has room for it at its front. The rest of `head` is
/// filled in.
void CloseFrame(std::span<std::byte> frame, SaFrameHead head);

}  // namespace ember
