// SPDX-License-Identifier: Apache-2.0
// EmberSM: who owns an area of flash memory, and how it is divided.
#include "platform/flash/flash_area.h"

#include <algorithm>
#include <bit>

#include "core/base/be.h"
#include "core/base/crc32.h"

namespace ember {
namespace {

constexpr std::uint32_t kMagic = 0x454D4641;  // "EMFA"
constexpr std::uint16_t kVersion = 1;
constexpr std::uint32_t kLabels = 2;

struct LabelRegion {
    Be<std::uint16_t> slot;
    Be<std::uint16_t> copies;
    Be<std::uint32_t> first_sector;
    Be<std::uint32_t> sectors;
};

/// Later versions keep the magic, the version, and the CRC at its place.
struct Label {
    Be<std::uint32_t> magic;
    Be<std::uint16_t> version;
    Be<std::uint16_t> region_count;
    Be<std::uint32_t> erase_bytes;
    Be<std::uint32_t> program_bytes;
    Be<std::uint32_t> sectors;
    std::array<LabelRegion, FlashStore::kMaxRegions> regions;
    Be<std::uint32_t> crc;  // Of the octets before it.
};
static_assert(WireStruct<Label>);
static_assert(sizeof(Label) == 120);
static_assert(sizeof(Label) <= FlashStore::kLeastEraseBytes);

using LabelOctets = std::array<std::byte, sizeof(Label)>;

std::uint32_t OwnCrc(const Label& label) {
    return Crc32(std::as_bytes(std::span(&label, 1)).first(offsetof(Label, crc)));
}

}  // namespace

Result<FlashArea::Reading> FlashArea::ReadLabel(std::uint32_t sector) {
    const FlashGeometry geometry = device_.geometry();
    LabelOctets octets{};
    EMBER_TRY(device_.Read(sector * geometry.erase_bytes, octets));
    const auto label = std::bit_cast<Label>(octets);
    if (label.magic != kMagic || label.crc != OwnCrc(label)) return Reading::kNoLabel;
    if (label.version != kVersion || label.region_count > regions_.size()) return Reading::kNewer;
    const bool fits = label.erase_bytes == geometry.erase_bytes &&
                      label.program_bytes == geometry.program_bytes &&
                      label.sectors == geometry.sectors;
    if (!fits) return Reading::kMoved;
    region_count_ = std::uint16_t{label.region_count};
    for (std::size_t i = 0; i < region_count_; ++i) {
        const LabelRegion& region = label.regions[i];
        const std::uint16_t copies = region.copies;
        const std::uint64_t end = region.first_sector + std::uint64_t{region.sectors} * copies;
        const bool is_between = region.first_sector >= 1 && end < geometry.sectors;
        // None has 0 copies: FlashStore::Open() says that it makes no sense.
        const std::uint16_t believed = is_between && copies <= 2 ? copies : std::uint16_t{0};
        regions_[i] = {static_cast<StoreSlot>(std::uint16_t{region.slot}), region.first_sector,
                       region.sectors, static_cast<std::uint8_t>(believed)};
    }
    return Reading::kGood;
}

Result<bool> FlashArea::IsBlank(std::uint32_t sector) {
    const FlashGeometry geometry = device_.geometry();
    const auto is_erased = [&](std::byte octet) { return octet == geometry.erased; };
    const auto piece = std::span(unit_).first(FlashStore::kLeastEraseBytes);
    for (std::uint32_t at = 0; at < geometry.erase_bytes; at += FlashStore::kLeastEraseBytes) {
        EMBER_TRY(device_.Read(sector * geometry.erase_bytes + at, piece));
        if (!std::all_of(piece.begin(), piece.end(), is_erased)) return false;
    }
    return true;
}

Result<bool> FlashArea::IsAllBlank() {
    for (std::uint32_t sector = 0; sector < device_.geometry().sectors; ++sector) {
        const Result<bool> blank = IsBlank(sector);
        if (!blank.ok() || !blank.value()) return blank;
    }
    return true;
}

Result<FlashArea::Owner> FlashArea::Look() {
    const std::uint32_t last = device_.geometry().sectors - 1;
    damaged_ = kNone;
    region_count_ = 0;
    phase_ = Phase::kErasing;
    is_programmed_ = false;
    // The first label is read last: where both are good it counts.
    const Result<Reading> behind = ReadLabel(last);
    if (!behind.ok()) return behind.status();
    const Result<Reading> front = ReadLabel(0);
    if (!front.ok()) return front.status();
    const bool has_good = front.value() == Reading::kGood || behind.value() == Reading::kGood;
    if (has_good) {
        if (front.value() != Reading::kGood) damaged_ = 0;
        if (behind.value() != Reading::kGood) damaged_ = last;
        return Owner::kOurs;
    }
    for (const Reading reading : {front.value(), behind.value()}) {
        if (reading == Reading::kNewer) return Owner::kNewer;
        if (reading == Reading::kMoved) return Owner::kMoved;
    }
    const Result<bool> blank = IsAllBlank();
    if (!blank.ok()) return blank.status();
    return blank.value() ? Owner::kNobody : Owner::kForeign;
}

std::uint64_t FlashArea::LeastBytes(const FlashGeometry& geometry,
                                    std::span<const FlashNeed> needs) {
    std::uint64_t sectors = kLabels;
    for (const FlashNeed& need : needs) {
        sectors += std::uint64_t{FlashStore::SectorsFor(geometry, need.least_octets)} * need.copies;
    }
    return sectors * geometry.erase_bytes;
}

/// Everyone gets the least; what is left goes in equal parts to those who can use more.
bool FlashArea::Divide(std::span<const FlashNeed> needs) {
    const FlashGeometry geometry = device_.geometry();
    const std::uint64_t least = LeastBytes(geometry, needs) / geometry.erase_bytes;
    if (needs.size() > regions_.size() || least > geometry.sectors) return false;
    const auto takers = std::count_if(needs.begin(), needs.end(), [](const FlashNeed& need) {
        return need.octets > need.least_octets;
    });
    const auto spare = static_cast<std::uint32_t>(geometry.sectors - least);
    const std::uint32_t share = takers == 0 ? 0 : spare / static_cast<std::uint32_t>(takers);
    std::uint32_t next = 1;  // Behind the first label.
    region_count_ = 0;
    for (const FlashNeed& need : needs) {
        const std::uint32_t wanted = FlashStore::SectorsFor(geometry, need.octets);
        const std::uint32_t given = FlashStore::SectorsFor(geometry, need.least_octets);
        const std::uint32_t sectors = std::min(wanted, given + share / need.copies);
        regions_[region_count_++] = {need.slot, next, sectors, need.copies};
        next += sectors * need.copies;
    }
    return true;
}

Status FlashArea::EraseUnlessBlank(std::uint32_t sector) {
    const Result<bool> blank = IsBlank(sector);
    if (!blank.ok()) return blank.status();
    return blank.value() ? Status::kOk : device_.Erase(sector);
}

/// Into a sector that is erased, and safe when it says kOk.
Status FlashArea::WriteLabel(std::uint32_t sector) {
    if (!is_programmed_) EMBER_TRY(ProgramLabel(sector));
    is_programmed_ = true;
    EMBER_TRY(device_.Flush());
    is_programmed_ = false;
    return Status::kOk;
}

Status FlashArea::ProgramLabel(std::uint32_t sector) {
    const FlashGeometry geometry = device_.geometry();
    Label label{};
    label.magic = kMagic;
    label.version = kVersion;
    label.region_count = static_cast<std::uint16_t>(region_count_);
    label.erase_bytes = geometry.erase_bytes;
    label.program_bytes = geometry.program_bytes;
    label.sectors = geometry.sectors;
    for (std::size_t i = 0; i < region_count_; ++i) {
        const FlashRegion& region = regions_[i];
        label.regions[i] = {static_cast<std::uint16_t>(region.slot), std::uint16_t{region.copies},
                            region.first_sector, region.sectors};
    }
    label.crc = OwnCrc(label);
    const auto octets = std::bit_cast<LabelOctets>(label);
    const std::uint32_t bytes = std::max(geometry.program_bytes, FlashStore::kLeastEraseBytes);
    const auto unit = std::span(unit_).first(bytes);
    std::fill(unit.begin(), unit.end(), geometry.erased);
    std::copy(octets.begin(), octets.end(), unit.begin());
    EMBER_TRY(device_.Program(sector * geometry.erase_bytes, unit));
    LabelOctets read{};
    EMBER_TRY(device_.Read(sector * geometry.erase_bytes, read));
    return read == octets ? Status::kOk : Status::kDevice;
}

Status FlashArea::EraseAll() {
    const std::uint32_t last = device_.geometry().sectors - 1;
    // Labels first: from then on, and until the new ones are written, it has no owner.
    EMBER_TRY(EraseUnlessBlank(last));
    for (std::uint32_t sector = 0; sector < last; ++sector) {
        EMBER_TRY(EraseUnlessBlank(sector));
    }
    return device_.Flush();
}

Status FlashArea::Format(std::span<const FlashNeed> needs) {
    if (!Divide(needs)) return Status::kFull;
    if (phase_ == Phase::kErasing) EMBER_TRY(EraseAll());
    if (phase_ == Phase::kErasing) phase_ = Phase::kBehind;
    if (phase_ == Phase::kBehind) EMBER_TRY(WriteLabel(device_.geometry().sectors - 1));
    phase_ = Phase::kFront;
    EMBER_TRY(WriteLabel(0));
    phase_ = Phase::kErasing;
    return Status::kOk;
}

Status FlashArea::Mend() {
    if (damaged_ == kNone) return Status::kOk;
    if (!is_programmed_) {
        EMBER_TRY(EraseUnlessBlank(damaged_));
        EMBER_TRY(device_.Flush());
    }
    EMBER_TRY(WriteLabel(damaged_));
    damaged_ = kNone;
    return Status::kOk;
}

}  // namespace ember
