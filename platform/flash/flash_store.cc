// SPDX-License-Identifier: Apache-2.0
// EmberSM: what shall survive a restart, in a flash memory.
#include "platform/flash/flash_store.h"

#include <algorithm>
#include <bit>

#include "core/base/be.h"
#include "core/base/crc32.h"

namespace ember {
namespace {

constexpr std::uint32_t kMagic = 0x454D464C;  // "EMFL"
constexpr std::uint16_t kVersion = 1;

struct Header {
    Be<std::uint32_t> magic;
    Be<std::uint16_t> version;
    Be<std::uint16_t> slot;
    Be<std::uint64_t> sequence;
    Be<std::uint32_t> length;
    Be<std::uint32_t> octets_crc;
    Be<std::uint32_t> zero;
    Be<std::uint32_t> header_crc;  // Of the octets of the header before it.
};
static_assert(WireStruct<Header>);
static_assert(sizeof(Header) == FlashStore::kHeaderBytes);

using HeaderOctets = std::array<std::byte, sizeof(Header)>;
using Chunk = std::array<std::byte, 512>;  // Read at once.

std::uint32_t OwnCrc(const Header& header) {
    return Crc32(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_crc)));
}

}  // namespace

std::uint32_t FlashStore::BytesOf(const FlashRegion& region) const {
    return region.sectors * geometry_.erase_bytes;
}

std::uint32_t FlashStore::Address(const Place& place, const Record& record) const {
    return place.region.first_sector * geometry_.erase_bytes + record.copy * BytesOf(place.region) +
           record.at;
}

FlashStore::Place* FlashStore::Find(StoreSlot slot) {
    for (Place& place : std::span(places_).first(place_count_)) {
        if (place.region.slot == slot) return &place;
    }
    return nullptr;
}

/// Lies inside the device, and on none that was taken before.
bool FlashStore::IsSound(const FlashRegion& region) const {
    if (region.sectors == 0 || region.copies < 1 || region.copies > 2) return false;
    const std::uint64_t first = region.first_sector;
    const std::uint64_t end = first + std::uint64_t{region.sectors} * region.copies;
    if (end > geometry_.sectors) return false;
    for (const Place& place : std::span(places_).first(place_count_)) {
        const FlashRegion& other = place.region;
        const std::uint64_t other_end =
            other.first_sector + std::uint64_t{other.sectors} * other.copies;
        if (other.slot == region.slot) return false;
        if (first < other_end && other.first_sector < end) return false;
    }
    return true;
}

Status FlashStore::Open(std::span<const FlashRegion> regions) {
    geometry_ = device_.geometry();
    place_count_ = 0;
    fell_back_ = false;
    job_ = {};
    const std::uint32_t unit = geometry_.program_bytes;
    const bool is_cut_well = std::has_single_bit(unit) && unit <= kMaxProgramBytes &&
                             geometry_.erase_bytes != 0 &&
                             geometry_.erase_bytes % PieceBytes() == 0;
    const std::uint64_t bytes = std::uint64_t{geometry_.erase_bytes} * geometry_.sectors;
    if (!is_cut_well || bytes >> 32U != 0) return Status::kMalformed;
    grain_ = GrainOf(geometry_);
    if (regions.size() > kMaxRegions) return Status::kMalformed;
    for (const FlashRegion& region : regions) {
        if (!IsSound(region)) return Status::kMalformed;
        Place& place = places_[place_count_++];
        place = {};
        place.region = region;
    }
    for (Place& place : std::span(places_).first(place_count_)) {
        EMBER_TRY(ScanAll(place, kNoSequence));
        // A counter or a record of the trial that went back would undo what was decided.
        const StoreSlot slot = place.region.slot;
        const bool may_age = slot == StoreSlot::kGuidToLid || slot == StoreSlot::kMKeys;
        if (may_age) EMBER_TRY(FallBack(place));
    }
    return Status::kOk;
}

/// Tells what is at `record.at`: a record (its sequence is not 0 then), nothing, or something else.
Status FlashStore::Recognize(Place& place, Record& record, bool& is_blank) {
    HeaderOctets octets{};
    EMBER_TRY(device_.Read(Address(place, record), octets));
    const auto is_erased = [&](std::byte octet) { return octet == geometry_.erased; };
    is_blank = std::all_of(octets.begin(), octets.end(), is_erased);
    record.sequence = 0;
    const auto header = std::bit_cast<Header>(octets);
    const bool known = header.magic == kMagic && header.version == kVersion &&
                       header.slot == static_cast<std::uint16_t>(place.region.slot);
    if (!known || header.header_crc != OwnCrc(header)) return Status::kOk;
    if (header.sequence == kNoSequence) return Status::kOk;
    const std::uint64_t end = record.at + FootprintOf(header.length, grain_);
    if (end > BytesOf(place.region)) return Status::kOk;
    record.sequence = header.sequence;
    record.length = header.length;
    record.crc = header.octets_crc;
    return Status::kOk;
}

/// Walks the log of a copy. Past a damaged header it looks at every grain, for what comes behind it
/// may be newer. Records from the sequence `below` on do not count. Ends: every turn goes a grain
/// further at least.
Status FlashStore::Scan(Place& place, std::uint8_t copy, std::uint64_t below) {
    const std::uint32_t bytes = BytesOf(place.region);
    bool was_damaged = false;
    Record record;
    record.copy = copy;
    for (std::uint32_t at = 0; at < bytes;) {
        record.at = at;
        bool is_blank = false;
        EMBER_TRY(Recognize(place, record, is_blank));
        if (record.sequence != 0) {
            at += static_cast<std::uint32_t>(FootprintOf(record.length, grain_));
            place.top_sequence = std::max(place.top_sequence, record.sequence);
            if (record.sequence <= place.newest.sequence || record.sequence >= below) continue;
            place.newest = record;
            place.end = at;
            continue;
        }
        if (is_blank && !was_damaged) break;
        was_damaged = true;
        at += grain_;
    }
    if (!was_damaged) return Status::kOk;
    place.is_damaged = true;
    // Octets behind the damage are not to be relied upon: the next save takes the other copy.
    if (place.newest.copy == copy) place.end = bytes;
    return Status::kOk;
}

Status FlashStore::ScanAll(Place& place, std::uint64_t below) {
    for (std::uint8_t copy = 0; copy < place.region.copies; ++copy) {
        EMBER_TRY(Scan(place, copy, below));
    }
    return Status::kOk;
}

/// The octets of the record that counts are those that were saved.
Result<bool> FlashStore::IsWhole(const Place& place) {
    Chunk chunk;
    std::uint32_t crc = 0;
    std::uint32_t at = Address(place, place.newest) + grain_;
    std::uint32_t left = place.newest.length;
    while (left != 0) {  // Ends: every turn reads something.
        const auto part = std::span(chunk).first(std::min<std::size_t>(left, chunk.size()));
        EMBER_TRY(device_.Read(at, part));
        crc = Crc32(part, crc);
        at += static_cast<std::uint32_t>(part.size());
        left -= static_cast<std::uint32_t>(part.size());
    }
    return crc == place.newest.crc;
}

/// To the newest record that is whole; where none is, the damaged one goes on to count.
Status FlashStore::FallBack(Place& place) {
    const Place found = place;
    for (unsigned i = 0; place.newest.sequence != 0; ++i) {
        const Result<bool> whole = IsWhole(place);
        if (!whole.ok()) return whole.status();
        if (whole.value()) break;
        const std::uint64_t below = place.newest.sequence;
        place.newest = {};
        if (i < kMaxFallBacks) EMBER_TRY(ScanAll(place, below));
    }
    const bool stays = place.newest.sequence == found.newest.sequence;
    if (stays || place.newest.sequence == 0) {
        place = found;
        return Status::kOk;
    }
    place.is_damaged = true;
    place.end = BytesOf(place.region);  // The next save takes the other copy.
    fell_back_ = true;
    return Status::kOk;
}

Result<std::size_t> FlashStore::Load(StoreSlot slot, std::span<std::byte> octets) {
    Place* const place = Find(slot);
    if (place == nullptr) return Status::kAbsent;
    const Record& record = place->newest;
    if (record.sequence == 0) return place->is_damaged ? Status::kMalformed : Status::kAbsent;
    if (record.length > octets.size()) return Status::kFull;
    const std::span<std::byte> wanted = octets.first(record.length);
    EMBER_TRY(device_.Read(Address(*place, record) + grain_, wanted));
    if (Crc32(wanted) != record.crc) return Status::kMalformed;
    return std::size_t{record.length};
}

Result<bool> FlashStore::IsBlank(std::uint32_t at, std::uint32_t bytes) {
    Chunk chunk;
    while (bytes != 0) {  // Ends: every turn reads something.
        const auto part = std::span(chunk).first(std::min<std::size_t>(bytes, chunk.size()));
        EMBER_TRY(device_.Read(at, part));
        for (const std::byte octet : part) {
            if (octet != geometry_.erased) return false;
        }
        at += static_cast<std::uint32_t>(part.size());
        bytes -= static_cast<std::uint32_t>(part.size());
    }
    return true;
}

/// The record that counts stays where it is; with one copy there is no such place. Where none
/// counts both copies are there to be tried.
void FlashStore::TakeOtherCopy(const Place& place) {
    const bool is_empty = place.newest.sequence == 0;
    const bool is_second = is_empty && job_.is_fresh;
    const auto other = static_cast<std::uint8_t>((place.newest.copy + 1) % place.region.copies);
    job_.record.copy = is_empty ? static_cast<std::uint8_t>(is_second ? 1 : 0) : other;
    job_.is_last_attempt = !is_empty || is_second || place.region.copies == 1;
    job_.record.at = 0;
    job_.step = Step::kErase;
    job_.done = 0;
    job_.is_fresh = true;
}

Status FlashStore::Begin(Place& place, std::span<const std::byte> octets, std::uint32_t crc) {
    const std::uint64_t bytes = FootprintOf(octets.size(), grain_);
    const bool has_number = place.top_sequence + 1 < kNoSequence;
    if (bytes > BytesOf(place.region) || !has_number) return Status::kFull;
    job_ = {};
    job_.place = static_cast<std::size_t>(&place - places_.data());
    job_.record = place.newest;
    job_.record.sequence = place.top_sequence + 1;
    job_.record.length = static_cast<std::uint32_t>(octets.size());
    job_.record.crc = crc;
    job_.record.at = place.end;
    if (place.newest.sequence == 0 || place.end + bytes > BytesOf(place.region)) {
        TakeOtherCopy(place);
        return Status::kOk;
    }
    // Octets of a save that was cut off have no header, and so are found only here.
    const Result<bool> blank =
        IsBlank(Address(place, job_.record), static_cast<std::uint32_t>(bytes));
    if (!blank.ok()) return blank.status();
    if (blank.value()) {
        job_.step = FirstStep();
    } else {
        TakeOtherCopy(place);
    }
    return Status::kOk;
}

Status FlashStore::ProgramAndCompare(std::uint32_t at, std::span<const std::byte> octets) {
    EMBER_TRY(device_.Program(at, octets));
    Chunk chunk;
    while (!octets.empty()) {  // Ends: every turn compares something.
        const auto read = std::span(chunk).first(std::min(octets.size(), chunk.size()));
        EMBER_TRY(device_.Read(at, read));
        if (!std::equal(read.begin(), read.end(), octets.begin())) return Status::kDevice;
        octets = octets.subspan(read.size());
        at += static_cast<std::uint32_t>(read.size());
    }
    return Status::kOk;
}

Status FlashStore::ProgramOctets(const Place& place, std::span<const std::byte> octets) {
    const auto part =
        octets.subspan(job_.done, std::min<std::size_t>(octets.size() - job_.done, PieceBytes()));
    piece_.fill(geometry_.erased);
    std::copy(part.begin(), part.end(), piece_.begin());
    const std::size_t unit = geometry_.program_bytes;
    const std::size_t bytes = (part.size() + unit - 1) / unit * unit;
    EMBER_TRY(ProgramAndCompare(Address(place, job_.record) + grain_ + job_.done,
                                std::span(piece_).first(bytes)));
    job_.done += static_cast<std::uint32_t>(part.size());
    return Status::kOk;
}

Status FlashStore::ProgramHeader(const Place& place) {
    const Record& record = job_.record;
    Header header{kMagic,           kVersion,        static_cast<std::uint16_t>(place.region.slot),
                  record.sequence,  record.length,   record.crc,
                  std::uint32_t{0}, std::uint32_t{0}};
    header.header_crc = OwnCrc(header);
    piece_.fill(geometry_.erased);
    const auto octets = std::bit_cast<HeaderOctets>(header);
    std::copy(octets.begin(), octets.end(), piece_.begin());
    return ProgramAndCompare(Address(place, record), std::span(piece_).first(grain_));
}

/// Does the next step with the device, and sets the one after it.
Status FlashStore::Advance(std::span<const std::byte> octets) {
    Place& place = places_[job_.place];
    const FlashRegion& region = place.region;
    switch (job_.step) {
        case Step::kIdle:
            break;
        case Step::kErase:
            EMBER_TRY(
                device_.Erase(region.first_sector + job_.record.copy * region.sectors + job_.done));
            // With one copy this was what counted: it is not to be read any more.
            if (region.copies == 1) place.newest.sequence = 0;
            if (++job_.done < region.sectors) break;
            job_.done = 0;
            job_.step = FirstStep();
            break;
        case Step::kOctets:
            EMBER_TRY(ProgramOctets(place, octets));
            if (job_.done == octets.size()) job_.step = Step::kSettle;
            break;
        case Step::kSettle:
            EMBER_TRY(device_.Flush());
            job_.step = Step::kHeader;
            break;
        case Step::kHeader:
            EMBER_TRY(ProgramHeader(place));
            job_.step = Step::kSeal;
            break;
        case Step::kSeal:
            EMBER_TRY(device_.Flush());
            place.newest = job_.record;
            place.top_sequence = job_.record.sequence;
            place.end = job_.record.at +
                        static_cast<std::uint32_t>(FootprintOf(job_.record.length, grain_));
            if (job_.is_fresh) place.is_damaged = false;
            job_.step = Step::kIdle;
            break;
    }
    return Status::kOk;
}

Status FlashStore::Save(StoreSlot slot, std::span<const std::byte> octets) {
    Place* const place = Find(slot);
    if (place == nullptr) return Status::kAbsent;
    const std::uint32_t crc = Crc32(octets);
    const Record& asked = job_.record;
    const bool is_under_way = job_.step != Step::kIdle;
    const bool is_same_slot = is_under_way && &places_[job_.place] == place;
    // Two that save in turn would else undo each other's work for ever.
    if (is_under_way && !is_same_slot && ++job_.refusals < kMaxRefusals) return Status::kBusy;
    const bool goes_on = is_same_slot && asked.length == octets.size() && asked.crc == crc;
    if (!goes_on) EMBER_TRY(Begin(*place, octets, crc));
    job_.refusals = 0;
    // Ends: an attempt has as many steps as sectors and pieces, and there are two attempts.
    for (std::uint32_t writes = 0; job_.step != Step::kIdle; ++writes) {
        if (writes_a_save_ != 0 && writes == writes_a_save_) return Status::kBusy;
        const Status status = Advance(octets);
        if (status == Status::kOk) continue;
        if (status == Status::kBusy) return status;
        if (job_.is_last_attempt) {
            job_.step = Step::kIdle;
            return status;
        }
        place->end = BytesOf(place->region);  // A worn or torn place is not tried twice.
        TakeOtherCopy(*place);
    }
    return Status::kOk;
}

}  // namespace ember
