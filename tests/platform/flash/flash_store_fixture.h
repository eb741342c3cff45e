// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the tests of a store in flash memory share.
#pragma once

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <vector>

#include "platform/flash/flash_store.h"
#include "tests/support/flash_emulator.h"

namespace ember::testing::flash {

using Octets = std::vector<std::byte>;

inline constexpr StoreSlot kLids = StoreSlot::kGuidToLid;
inline constexpr StoreSlot kCounter = StoreSlot::kConfigurationCounter;
inline constexpr StoreSlot kBlob = StoreSlot::kConfigurationBlob;

/// Two slots in two copies, one in a single one.
inline constexpr std::array<FlashRegion, 3> kRegions = {
    {{kLids, 1, 2, 2}, {kCounter, 5, 1, 2}, {kBlob, 8, 3, 1}}};
inline constexpr std::uint32_t kSectors = 12;

inline Octets Filled(std::size_t size, unsigned seed) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) {
        octets[i] = static_cast<std::byte>(seed * 131 + i * 7 + (i >> 8U));
    }
    return octets;
}

/// The contents of a slot; nothing when it is absent or damaged.
inline std::optional<Octets> Read(FlashStore& store, StoreSlot slot) {
    Octets room(32768);
    const Result<std::size_t> count = store.Load(slot, room);
    if (!count.ok()) return std::nullopt;
    room.resize(count.value());
    return room;
}

inline Status StatusOfLoad(FlashStore& store, StoreSlot slot) {
    Octets room(16384);
    return store.Load(slot, room).status();
}

enum class Kind { kNor, kEmmc };
inline std::unique_ptr<FlashEmulator> Make(Kind kind) {
    if (kind == Kind::kNor) return std::make_unique<NorFlash>(kSectors);
    return std::make_unique<EmmcFlash>(kSectors);
}

class FlashStoreTest : public ::testing::TestWithParam<Kind> {
protected:
    FlashStoreTest() : flash_(Make(GetParam())) {}
    ~FlashStoreTest() override {
        const auto* const nor = dynamic_cast<const NorFlash*>(flash_.get());
        EXPECT_TRUE(nor == nullptr || nor->misuses() == 0) << "programmed what was not erased";
    }

    std::unique_ptr<FlashStore> Open(std::uint32_t writes_a_save = 0) {
        auto store = std::make_unique<FlashStore>(*flash_, writes_a_save);
        EXPECT_EQ(store->Open(kRegions), Status::kOk);
        return store;
    }

    std::unique_ptr<FlashEmulator> flash_;
};

}  // namespace ember::testing::flash
