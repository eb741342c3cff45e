// SPDX-License-Identifier: Apache-2.0
// EmberSM: frames of the journal as standbys receive them: each entry as what differs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/registrations/sa_frames.h"
#include "core/base/status.h"
#include "core/platform.h"

namespace ember {

/// "ESP1": a packed frame begins with it, where a frame has SaFrameHead::kMagic. The rest of the
/// head stands in it as it is, with the length and the checksum of the frame.
inline constexpr std::uint32_t kPackedMagic = 0x45535031;

// An entry of a packed frame is its kind, and what differs from the last entry of that kind in the
// frame, or from zeros: most joins differ in a few octets of a GUID. The body is cut into groups of
// eight octets. An octet for each eight groups has a bit, the lowest one first, for each group that
// differs; each of these is an octet with a bit for each octet that differs, and these octets. A
// join by a port for itself tells its PortGUID once: that of the owner is compared with that of the
// member. docs/replication-records.md, "Packed records".

/// Packs a frame that CloseFrame() has closed. Returns the octets of `packed` that it takes. kFull:
/// it takes as many as the frame, or more than there are.
[[nodiscard]] Result<std::size_t> PackFrame(std::span<const std::byte> frame,
                                            std::span<std::byte> packed);

/// Begins with kPackedMagic.
[[nodiscard]] bool IsPacked(std::span<const std::byte> octets);

/// The frame that was packed. Returns the octets of `frame` that it takes. kMalformed: `packed` is
/// no packed frame, or the frame is longer than there is room. Its checksum is not looked at, which
/// ReadFrame() does.
[[nodiscard]] Result<std::size_t> UnpackFrame(std::span<const std::byte> packed,
                                              std::span<std::byte> frame);

/// A log that passes frames on to another one, packed if that is shorter.
class PackingLog final : public StateLog {
public:
    /// `buffer`: as long as the longest frame; lent while frames are appended. `below` outlives it.
    PackingLog(std::span<std::byte> buffer, StateLog& below) : buffer_(buffer), below_(below) {}
    PackingLog(const PackingLog&) = delete;
    PackingLog& operator=(const PackingLog&) = delete;

    /// Entries of the last frame that was appended.
    [[nodiscard]] std::size_t entries() const { return entries_; }

    // StateLog.
    Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> octets) override {
        return below_.Read(offset, octets);
    }
    [[nodiscard]] std::uint64_t AgeSeconds() override { return below_.AgeSeconds(); }
    Status Begin() override { return below_.Begin(); }
    Status Append(std::span<const std::byte> octets) override;
    Status Commit() override { return below_.Commit(); }
    [[nodiscard]] std::uint64_t SafeBytes() const override { return below_.SafeBytes(); }

private:
    std::span<std::byte> buffer_;
    StateLog& below_;
    std::size_t entries_ = 0;
};

}  // namespace ember
