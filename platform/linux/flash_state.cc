// SPDX-License-Identifier: Apache-2.0
// EmberSM: what shall survive a restart, in a flash memory of Linux.
#include "platform/linux/flash_state.h"

#include <algorithm>
#include <array>

#include "platform/linux/locked.h"

namespace ember {
namespace {

/// The counter and the record of the trial, with room for what later releases may add to them.
constexpr std::uint32_t kSmallOctets = 256;

std::array<FlashNeed, 5> NeedsOf(const FlashContents& contents) {
    const std::uint32_t blob = std::max(contents.blob_octets, FlashState::kLeastBlobOctets);
    return {{{StoreSlot::kConfigurationCounter, kSmallOctets, kSmallOctets, 2},
             {StoreSlot::kConfigurationTrial, kSmallOctets, kSmallOctets, 2},
             {StoreSlot::kGuidToLid, contents.lid_octets, contents.lid_octets, 2},
             {StoreSlot::kConfigurationBlob, blob, FlashState::kLeastBlobOctets, 1},
             {StoreSlot::kConfigurationOther, blob, FlashState::kLeastBlobOctets, 1}}};
}

}  // namespace

std::string FlashState::Open(const FlashPart& part,
                             const FlashContents& contents,
                             bool may_format,
                             std::string& said) {
    std::string wrong = flash_.Open(part);
    if (!wrong.empty()) return wrong;
    const std::array<FlashNeed, 5> needs = NeedsOf(contents);
    const std::string name = "the flash " + part.path;
    wrong = TakePossession(name, needs, may_format, said);
    if (!wrong.empty()) return wrong;
    const Status opened = store_.Open(area_.regions());
    if (opened == Status::kMalformed) return name + " has a label that makes no sense";
    if (opened != Status::kOk) return "cannot read " + name;
    return {};
}

std::string FlashState::TakePossession(const std::string& name,
                                       std::span<const FlashNeed> needs,
                                       bool may_format,
                                       std::string& said) {
    const Result<FlashArea::Owner> owner = area_.Look();
    if (!owner.ok()) return "cannot read " + name;
    switch (owner.value()) {
        case FlashArea::Owner::kOurs:
            Inspect(name, needs, said);
            return {};
        case FlashArea::Owner::kNewer:
            return name + " was written by a later release, and is left as it is";
        case FlashArea::Owner::kMoved:
            return name + " was given to the subnet manager with another size or other sectors: " +
                   "name the same part as then, or erase it";
        case FlashArea::Owner::kForeign:
            if (!may_format) {
                return name +
                       " holds something else, and is left as it is; --format-flash erases it";
            }
            said = name + " held something else, and was erased and formatted";
            return Format(name, needs);
        case FlashArea::Owner::kNobody:
            said = name + " was blank, and was formatted";
            return Format(name, needs);
    }
    return {};
}

std::string FlashState::Format(const std::string& name, std::span<const FlashNeed> needs) {
    const Status status = area_.Format(needs);
    if (status == Status::kOk) return {};
    if (status != Status::kFull) return "cannot format " + name;
    const std::uint64_t least = FlashArea::LeastBytes(flash_.geometry(), needs);
    return name + " is too small: " + std::to_string(least) + " octets are needed";
}

/// What is ours already, and may have aged, or was divided for another board.
void FlashState::Inspect(const std::string& name,
                         std::span<const FlashNeed> needs,
                         std::string& said) {
    if (area_.needs_mending()) {
        said = area_.Mend() == Status::kOk
                   ? name + " had lost one of its two labels, which was written again"
                   : name + " has lost one of its two labels, which cannot be written again";
    }
    const FlashGeometry geometry = flash_.geometry();
    const bool fits = std::all_of(needs.begin(), needs.end(), [&](const FlashNeed& need) {
        const std::uint32_t sectors = FlashStore::SectorsFor(geometry, need.least_octets);
        return std::any_of(area_.regions().begin(), area_.regions().end(), [&](const auto& region) {
            return region.slot == need.slot && region.sectors >= sectors;
        });
    });
    if (!fits) said = name + " was divided for a smaller board: not everything may fit";
}

Status FlashState::SaveLocked(StoreSlot slot, std::span<const std::byte> octets) {
    const Locked locked(lock_);
    return store_.Save(slot, octets);
}

Result<std::size_t> FlashState::LoadLocked(StoreSlot slot, std::span<std::byte> octets) {
    const Locked locked(lock_);
    return store_.Load(slot, octets);
}

}  // namespace ember
