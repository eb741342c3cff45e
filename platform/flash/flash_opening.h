// SPDX-License-Identifier: Apache-2.0
// EmberSM: an area of flash memory is taken into use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "platform/flash/flash_area.h"
#include "platform/flash/flash_store.h"

namespace ember {

/// How much a subnet manager has to keep.
struct FlashContents {
    std::uint32_t lid_octets = 0;    ///< Of the table of LIDs.
    std::uint32_t blob_octets = 0;   ///< Of the largest configuration; it may be given less.
    std::uint32_t m_key_octets = 0;  ///< Of the M_Keys and the ways to ports that they guard.

    /// The least room that is left for a configuration.
    static constexpr std::uint32_t kLeastBlobOctets = 8192;
    static constexpr std::size_t kSlots = 6;
    /// The LIDs, M_Keys, the counter and the record of the trial are there twice, the two
    /// configurations once each, for the one that counts is never the one that is written.
    [[nodiscard]] std::array<FlashNeed, kSlots> Needs() const;
};

/// How an area was found, and what was done about it. Up to kReplaced the store is open.
enum class FlashOpening : std::uint8_t {
    kOurs,        ///< As it was left.
    kMended,      ///< A label was lost, and was written again.
    kNotMended,   ///< A label is lost, and cannot be written again.
    kOlder,       ///< The newest table of LIDs is damaged, and the one before it counts.
    kSmaller,     ///< Divided for a smaller board: not everything may fit.
    kBlank,       ///< The area was blank, and was formatted.
    kReplaced,    ///< The area held something else, and was erased and formatted.
    kUnreadable,  ///< Not open, nor is what follows: it could not be read,
    kNewer,       ///< was written by a later release, and is left as it is,
    kMoved,       ///< is ours, of another size or with other sectors, and left as it is,
    kForeign,     ///< holds something else, and is left as it is,
    kTooSmall,    ///< is too small, and nothing was done,
    kUnwritable,  ///< could not be formatted,
    kSenseless,   ///< has a label that makes no sense.
};

[[nodiscard]] constexpr bool IsOpen(FlashOpening opening) {
    return opening <= FlashOpening::kReplaced;
}

/// The words on the flash, behind its name; none for kOurs. No full stop.
[[nodiscard]] std::string_view Explain(FlashOpening opening);

/// Looks whose the area is, formats it when it is blank, or when it holds something else and
/// `may_format`, and opens the store in it; what is ours is never formatted. Waits for a device
/// that says kBusy: this is for the start.
[[nodiscard]] FlashOpening OpenFlash(FlashArea& area, FlashStore& store,
                                     const FlashGeometry& geometry, const FlashContents& contents,
                                     bool may_format);

}  // namespace ember
