// SPDX-License-Identifier: Apache-2.0
// EmberSM: an area of flash memory is taken into use.
#include "platform/flash/flash_opening.h"

#include <algorithm>
#include <array>

namespace ember {
namespace {

/// The counter and the record of the trial, with room for what later releases may add to them.
constexpr std::uint32_t kSmallOctets = 256;

FlashOpening Format(FlashArea& area, std::span<const FlashNeed> needs, FlashOpening done) {
    Status status = Status::kBusy;
    while (status == Status::kBusy) {  // Ends: a device is busy for so long and no longer.
        status = area.Format(needs);
    }
    if (status == Status::kFull) return FlashOpening::kTooSmall;
    return status == Status::kOk ? done : FlashOpening::kUnwritable;
}

/// An area that is ours already, and may have aged, or was divided for another board.
FlashOpening Inspect(FlashArea& area, const FlashGeometry& geometry,
                     std::span<const FlashNeed> needs) {
    const bool fits = std::all_of(needs.begin(), needs.end(), [&](const FlashNeed& need) {
        const std::uint32_t sectors = FlashStore::SectorsFor(geometry, need.least_octets);
        return std::any_of(area.regions().begin(), area.regions().end(), [&](const auto& region) {
            return region.slot == need.slot && region.sectors >= sectors;
        });
    });
    const bool needed_mending = area.needs_mending();
    Status mended = area.Mend();
    while (mended == Status::kBusy) {  // Ends: as above.
        mended = area.Mend();
    }
    if (!fits) return FlashOpening::kSmaller;
    if (mended != Status::kOk) return FlashOpening::kNotMended;
    return needed_mending ? FlashOpening::kMended : FlashOpening::kOurs;
}

FlashOpening TakePossession(FlashArea& area, const FlashGeometry& geometry,
                            std::span<const FlashNeed> needs, bool may_format) {
    const Result<FlashArea::Owner> owner = area.Look();
    if (!owner.ok()) return FlashOpening::kUnreadable;
    switch (owner.value()) {
        case FlashArea::Owner::kOurs:
            return Inspect(area, geometry, needs);
        case FlashArea::Owner::kNewer:
            return FlashOpening::kNewer;
        case FlashArea::Owner::kMoved:
            return FlashOpening::kMoved;
        case FlashArea::Owner::kForeign:
            if (!may_format) return FlashOpening::kForeign;
            return Format(area, needs, FlashOpening::kReplaced);
        case FlashArea::Owner::kNobody:
            return Format(area, needs, FlashOpening::kBlank);
    }
    return FlashOpening::kUnreadable;
}

}  // namespace

std::array<FlashNeed, FlashContents::kSlots> FlashContents::Needs() const {
    const std::uint32_t blob = std::max(blob_octets, kLeastBlobOctets);
    return {{{StoreSlot::kConfigurationCounter, kSmallOctets, kSmallOctets, 2},
             {StoreSlot::kConfigurationTrial, kSmallOctets, kSmallOctets, 2},
             {StoreSlot::kGuidToLid, lid_octets, lid_octets, 2},
             {StoreSlot::kMKeys, m_key_octets, m_key_octets, 2},
             {StoreSlot::kConfigurationBlob, blob, kLeastBlobOctets, 1},
             {StoreSlot::kConfigurationOther, blob, kLeastBlobOctets, 1}}};
}

std::string_view Explain(FlashOpening opening) {
    static constexpr std::array<std::string_view, 14> kWords = {
        "",
        "had lost one of its two labels, which was written again",
        "has lost one of its two labels, which cannot be written again",
        "has a damaged table of LIDs, and an older one counts",
        "was divided for a smaller board: not everything may fit",
        "was blank, and was formatted",
        "held something else, and was erased and formatted",
        "cannot be read",
        "was written by a later release, and is left as it is",
        "was given to the subnet manager with another size or other sectors: name the "
        "same part as then, or erase it",
        "holds something else, and is left as it is",
        "is too small",
        "cannot be formatted",
        "has a label that makes no sense"};
    static_assert(kWords.size() == static_cast<std::size_t>(FlashOpening::kSenseless) + 1);
    return kWords[static_cast<std::size_t>(opening)];
}

FlashOpening OpenFlash(FlashArea& area, FlashStore& store, const FlashGeometry& geometry,
                       const FlashContents& contents, bool may_format) {
    const std::array<FlashNeed, FlashContents::kSlots> needs = contents.Needs();
    const FlashOpening opening = TakePossession(area, geometry, needs, may_format);
    if (!IsOpen(opening)) return opening;
    const Status opened = store.Open(area.regions());
    if (opened == Status::kMalformed) return FlashOpening::kSenseless;
    if (opened != Status::kOk) return FlashOpening::kUnreadable;
    const bool is_well = opening == FlashOpening::kOurs || opening == FlashOpening::kMended;
    return is_well && store.fell_back() ? FlashOpening::kOlder : opening;
}

}  // namespace ember
