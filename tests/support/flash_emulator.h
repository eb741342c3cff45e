// SPDX-License-Identifier: Apache-2.0
// EmberSM: flash memories that lose their power in the middle of a write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "platform/flash/flash_device.h"

namespace ember::testing {

/// The common part of NOR and eMMC: octets, and a supply that fails at a chosen write.
///
/// After CutAt(n) the n-th write from now on (Program, Erase or Flush; 1 is the next) is torn, and
/// every call fails until PowerUp(). The remains of a torn write are drawn from the seed.
class FlashEmulator : public FlashDevice {
public:
    explicit FlashEmulator(const FlashGeometry& geometry);
    virtual ~FlashEmulator() = default;

    [[nodiscard]] FlashGeometry geometry() const override { return geometry_; }
    Status Read(std::uint32_t at, std::span<std::byte> octets) override;
    Status Program(std::uint32_t at, std::span<const std::byte> octets) override;
    Status Erase(std::uint32_t sector) override;
    Status Flush() override;

    void CutAt(std::uint64_t write, std::uint32_t seed);
    void PowerUp();
    [[nodiscard]] bool is_off() const { return is_off_; }

    [[nodiscard]] std::uint64_t writes() const { return writes_; }
    [[nodiscard]] std::uint64_t erasures(std::uint32_t sector) const { return erased_[sector]; }
    /// The stored octets, for damage done by hand.
    [[nodiscard]] std::vector<std::byte>& octets() { return octets_; }
    /// Every so manieth write is answered kBusy once before it is done; 0: none.
    void SetBusyEvery(std::uint64_t writes) { busy_every_ = writes; }
    /// Programs that touch this octet leave its lowest bit as it was when it is erased.
    void WearOut(std::uint32_t at) { worn_ = at; }
    /// Erasing this sector fails from now on.
    void Break(std::uint32_t sector) { broken_ = sector; }

protected:
    /// Whole, or what the cut leaves of it.
    virtual void DoProgram(std::uint32_t at, std::span<const std::byte> octets, bool is_torn) = 0;
    virtual void DoErase(std::uint32_t at, bool is_torn) = 0;
    virtual void DoFlush(bool is_torn) = 0;
    virtual void LosePower() = 0;
    [[nodiscard]] std::byte Garbage() { return static_cast<std::byte>(random_()); }
    [[nodiscard]] std::uint32_t Draw(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_()) % below;
    }

    FlashGeometry geometry_;
    std::vector<std::byte> octets_;

private:
    /// kOk: do it; `is_torn` tells how.
    Status Before(bool& is_torn);
    void After(bool is_torn);

    std::mt19937 random_;
    std::vector<std::uint64_t> erased_;
    std::uint64_t writes_ = 0;
    std::uint64_t cut_at_ = 0;  ///< By the count of writes_; 0: never.
    std::uint64_t busy_every_ = 0;
    bool was_busy_ = false;
    bool is_off_ = false;
    std::int64_t worn_ = -1;
    std::int64_t broken_ = -1;
};

/// NOR: programming takes bits from 1 to 0 and never back; programming what is not erased is
/// counted as misuse. A torn program leaves a prefix, or any mix of the bits that were to change; a
/// torn erasure leaves a mix of old, of ones, or noise.
class NorFlash final : public FlashEmulator {
public:
    explicit NorFlash(std::uint32_t sectors, std::uint32_t erase_bytes = 4096);
    [[nodiscard]] std::uint64_t misuses() const { return misuses_; }

private:
    void DoProgram(std::uint32_t at, std::span<const std::byte> octets, bool is_torn) override;
    void DoErase(std::uint32_t at, bool is_torn) override;
    void DoFlush(bool /*is_torn*/) override {}
    void LosePower() override {}

    std::uint64_t misuses_ = 0;
};

/// eMMC: units of 512 octets behind a cache that only Flush() empties. When the power goes, each
/// unit in it is old, new or noise, in any order.
class EmmcFlash final : public FlashEmulator {
public:
    static constexpr std::uint32_t kUnit = 512;
    explicit EmmcFlash(std::uint32_t sectors, std::uint32_t erase_bytes = 4096);

private:
    void Keep(std::uint32_t at);
    void DoProgram(std::uint32_t at, std::span<const std::byte> octets, bool is_torn) override;
    void DoErase(std::uint32_t at, bool is_torn) override;
    void DoFlush(bool is_torn) override;
    void LosePower() override;

    std::map<std::uint32_t, std::vector<std::byte>> before_;  ///< Units in the cache: what was.
};

}  // namespace ember::testing
