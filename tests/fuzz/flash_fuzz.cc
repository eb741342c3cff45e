// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: a flash memory whose labels and records somebody has written, and chips
// that tell anything of themselves.
//
// Goal:   whatever stands in the flash, nothing outside of our part is touched, nothing is
//         programmed that was not erased, and what a save said kOk of is there afterwards, also
//         when the power goes during another.
// Method: the first octet says which. An emulated flash is taken into use, and the script saves,
//         starts anew, cuts the power, and in between writes octets, records and labels with right
//         checksums into it. Or chips answer their query as the script says.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/crc32.h"
#include "platform/bare/cfi_flash.h"
#include "platform/flash/flash_opening.h"
#include "tests/support/cfi_emulator.h"
#include "tests/support/flash_emulator.h"
#include "tests/support/fuzz_script.h"

namespace ember::testing {
namespace {

using Octets = std::vector<std::byte>;

/// The emulators expect nothing to be touched outside of the device: that ends the process, too.
const bool kIsStrict = (GTEST_FLAG_SET(throw_on_failure, true), true);

constexpr std::uint32_t kEraseBytes = 1024;
constexpr std::uint32_t kSectors = 48;
constexpr FlashContents kContents{600, 8192, 600};
constexpr std::size_t kSlots = FlashContents::kSlots;
constexpr std::size_t kHeaderBytes = FlashStore::kHeaderBytes;
constexpr std::size_t kLabelBytes = 120;

/// Most significant octet first.
void Put(std::span<std::byte> octets, std::size_t at, std::size_t count, std::uint64_t value) {
    for (std::size_t i = 0; i < count; ++i) {
        octets[at + i] = static_cast<std::byte>(value >> 8U * (count - 1 - i));
    }
}

class Box {
public:
    explicit Box(bool is_nor) {
        if (is_nor) {
            auto nor = std::make_unique<NorFlash>(kSectors, kEraseBytes);
            nor_ = nor.get();
            flash_ = std::move(nor);
        } else {
            flash_ = std::make_unique<EmmcFlash>(kSectors, kEraseBytes);
        }
        std::fill(octets().begin(), octets().end(), flash_->geometry().erased);
        Start(false);
    }

    void Act(Script& script) {
        const std::uint8_t what = script.Next();
        const unsigned detail = what / 8U;
        switch (what % 8) {
            case 0:
            case 1:
                return Save(detail % kSlots, script, 0);
            case 2:
                return Save(detail % kSlots, script, 1 + script.Next() % 32U);
            case 3:
                return Start(detail % 4 == 3);
            case 4:
                return Scribble(script);
            case 5:
                return ForgeRecord(script);
            case 6:
                return ForgeLabel(script);
            default:
                return LoadAll();
        }
    }
    void LoadAll() {
        for (std::size_t slot = 0; slot < kSlots; ++slot) {
            const std::optional<Octets> found = Load(slot);
            Demand(!held_[slot] || found == held_[slot], "what was saved is there");
        }
        Demand(nor_ == nullptr || nor_->misuses() == 0, "only what is erased is programmed");
    }

private:
    [[nodiscard]] std::vector<std::byte>& octets() { return flash_->octets(); }

    void Start(bool may_format) {
        area_ = std::make_unique<FlashArea>(*flash_);
        store_ = std::make_unique<FlashStore>(*flash_);
        const FlashOpening opening =
            OpenFlash(*area_, *store_, flash_->geometry(), kContents, may_format);
        is_open_ = IsOpen(opening);
        const bool is_fresh = opening == FlashOpening::kBlank || opening == FlashOpening::kReplaced;
        if (!is_open_ || is_fresh) held_ = {};
    }

    std::optional<Octets> Load(std::size_t slot) {
        Octets room(16384);
        const Result<std::size_t> count = store_->Load(static_cast<StoreSlot>(slot), room);
        if (!is_open_ || !count.ok()) return std::nullopt;
        room.resize(count.value());
        return room;
    }

    /// `cut_at`: the write at which the power goes; 0: it does not.
    void Save(std::size_t slot, Script& script, std::uint64_t cut_at) {
        if (!is_open_) return;
        const std::size_t size = script.Next() * (slot < 3 ? 2U : 40U);
        const Octets wanted(size, std::byte{script.Next()});
        if (cut_at != 0) flash_->CutAt(cut_at, script.Next());
        const Status status = store_->Save(static_cast<StoreSlot>(slot), wanted);
        if (flash_->is_off()) {
            flash_->PowerUp();
            held_[slot].reset();
            return Start(false);
        }
        flash_->CutAt(0, 0);
        if (status == Status::kOk) held_[slot] = wanted;
        if (status == Status::kOk) Demand(Load(slot) == held_[slot], "what is saved is there");
    }

    /// From now on the content is unknown. The device is opened anew, as after a restart.
    void Tampered() {
        held_ = {};
        Start(false);
    }

    void Scribble(Script& script) {
        const unsigned count = 1U + script.Next() % 8U;
        for (unsigned i = 0; i < count; ++i) {
            const std::size_t at = script.Next32() % octets().size();
            octets()[at] ^= std::byte{script.Next()};
        }
        Tampered();
    }

    void ForgeRecord(Script& script) {
        const std::size_t sector = script.Next() % kSectors;
        const std::size_t at = sector * kEraseBytes + script.Next() % 2U * 512U;
        const std::uint8_t how = script.Next();
        const auto header = std::span(octets()).subspan(at, kHeaderBytes);
        const std::size_t left = octets().size() - at - kHeaderBytes;
        const std::size_t short_length = std::min<std::size_t>(script.Next(), left);
        const std::uint32_t length =
            (how & 1U) != 0 ? script.Next32() : static_cast<std::uint32_t>(short_length);
        const std::uint64_t sequence = (how & 2U) != 0 ? script.Next64() : script.Next();
        Put(header, 0, 4, 0x454D464C);
        Put(header, 4, 2, 1);
        Put(header, 6, 2, script.Next() % 8U);
        Put(header, 8, 8, sequence);
        Put(header, 16, 4, length);
        const std::size_t grain = nor_ != nullptr ? 32 : 512;
        const std::size_t body = std::min(at + grain, octets().size());
        const auto octets_of_it =
            std::span(octets()).subspan(body, std::min(short_length, octets().size() - body));
        Put(header, 20, 4, Crc32(octets_of_it) ^ ((how & 4U) != 0 ? 1U : 0U));
        Put(header, 24, 4, 0);
        Put(header, 28, 4, Crc32(header.first(28)));
        Tampered();
    }

    /// Another division than the one that was made, of all sorts, or of a later release.
    void ForgeLabel(Script& script) {
        const unsigned count = 1U + script.Next() % 4U;
        const auto label = std::span(octets()).first(kLabelBytes);
        for (unsigned i = 0; i < count; ++i) {
            const std::size_t at = script.Next() % (kLabelBytes - 4);
            label[at] = std::byte{script.Next()};
        }
        Put(label, kLabelBytes - 4, 4, Crc32(label.first(kLabelBytes - 4)));
        std::copy(label.begin(), label.end(), octets().end() - kEraseBytes);
        Tampered();
    }

    std::unique_ptr<FlashEmulator> flash_;
    NorFlash* nor_ = nullptr;
    std::unique_ptr<FlashArea> area_;
    std::unique_ptr<FlashStore> store_;
    bool is_open_ = false;
    std::array<std::optional<Octets>, kSlots> held_;  ///< Contents that must be there.
};

/// Chips that say what the script says of themselves.
void AskChips(Script& script) {
    const auto chips = std::make_unique<CfiEmulator>();
    const unsigned changes = script.Next() % 16U;
    for (unsigned i = 0; i < changes; ++i) {
        const std::size_t at = script.Next() % chips->answer.size();
        chips->answer[at] = script.Next();
    }
    bare::CfiPart part{script.Next() * 512U, script.Next() * 512U};
    if (script.Next() % 8U == 0) part.at = script.Next32();
    if (script.Next() % 8U == 0) part.bytes = script.Next32();
    const std::uint32_t bank_bytes = CfiEmulator::kBytes;
    bare::CfiFlash flash(*chips, *chips);
    // A command goes to where the part begins, which the board says and which is inside.
    if (part.at > bank_bytes - 4096 || part.at % 4 != 0) return;
    Status status = Status::kBusy;
    for (int i = 0; i < 10'000 && status == Status::kBusy; ++i) {
        status = flash.Open(bank_bytes, part);
        if (status == Status::kBusy) chips->Wait(10'000);
    }
    Demand(status != Status::kBusy, "chips are given up in time");
    if (status != Status::kOk) return;
    const FlashGeometry geometry = flash.geometry();
    const std::uint64_t bytes = std::uint64_t{geometry.erase_bytes} * geometry.sectors;
    Demand(bytes == part.bytes && part.at + bytes <= bank_bytes, "sectors are those of the part");
    Demand(flash.buffer_bytes() >= 4 && flash.buffer_bytes() <= geometry.erase_bytes,
           "a buffer is no larger than a sector");
    FlashArea area(flash);
    FlashStore store(flash);
    const std::uint64_t before = chips->accesses();
    static_cast<void>(OpenFlash(area, store, geometry, kContents, true));
    Demand(chips->accesses() - before < 50'000'000, "and opening ends");
}

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ember::testing;  // NOLINT: a fuzz target is a program of its own.
    Script script({data, size});
    const std::uint8_t kind = script.Next();
    if (kind % 4 == 3) {
        AskChips(script);
        return 0;
    }
    Box box(kind % 2 == 0);
    for (int acts = 0; acts < 60 && !script.ended(); ++acts) {
        box.Act(script);
    }
    box.LoadAll();
    return 0;
}
