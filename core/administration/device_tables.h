// SPDX-License-Identifier: Apache-2.0
// EmberSM: tables that only a device knows, asked for when somebody asks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/administration/query.h"
#include "core/base/ids.h"
#include "core/exchange/exchange.h"
#include "core/wire/smp.h"

namespace ember {

/// Tables of ports that the subnet manager does not keep: P_Keys, SL to VL, VL arbitration. A
/// source looks for one; if it is not here the device is asked, and the source looks again later.
///
/// What is awaited and what was just answered lies in a small fixed table, so nobody can make it
/// grow. Nor can anybody make it flood the subnet: at most kAtOnce questions are under way and
/// kPerSecond are asked, whoever wants them, and only when the exchange has room. An answer is of
/// use for kFreshUs: longer than a segment takes to be sent again, not so long that it is stale.
class DeviceTables {
public:
    static constexpr std::size_t kRows = 64;
    static constexpr std::size_t kAtOnce = 16;
    static constexpr std::uint64_t kPerSecond = 8000;
    static constexpr std::uint64_t kFreshUs = 2'000'000;

    struct Key {
        PortIndex port = kNoPortIndex;
        AttributeId attribute{};
        std::uint32_t modifier = 0;
        [[nodiscard]] bool operator==(const Key&) const = default;
    };
    enum class Word : std::uint8_t {
        kTold,    ///< `data` is the table.
        kSilent,  ///< The device does not answer, or says that it has no such table.
        kLater,   ///< It is being asked.
    };

    DeviceTables(const AdministrationView& view, Exchange& exchange)
        : view_(view), exchange_(exchange) {}
    DeviceTables(const DeviceTables&) = delete;
    DeviceTables& operator=(const DeviceTables&) = delete;

    /// Looks for a table, and wants it from now on.
    [[nodiscard]] Word Look(const Key& key, SmpData& data);
    /// Wants a table that will be looked for soon. Does nothing when the table is half full.
    void Want(const Key& key);

    /// There is room for a Write() of this table.
    [[nodiscard]] bool MayWrite(const Key& key) const;
    /// Sets a table of the device, some time from now; of several in a row the last one counts.
    /// Whether the device takes it nobody waits for. Asserts MayWrite().
    void Write(const Key& key, const SmpData& data);

    /// Nobody wants anything any more. What is under way goes on. Costs nothing when that was so.
    void Forget();
    /// Asks what may be asked. Call it once a step.
    void Step(std::uint64_t now_us);
    /// An answer with Client::kAdministration in its cookie.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// When Step() has work that no answer brings about; ~0: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// Tables that devices did not take, since start.
    [[nodiscard]] std::uint64_t refused_writes() const { return refused_writes_; }

private:
    enum class State : std::uint8_t { kFree, kWanted, kAsked, kAnswered };
    /// Which port a row of the fabric's tables stood for: it may be another's by now.
    struct Owner {
        Guid node = kNoGuid;
        PortNumber number{};
        [[nodiscard]] bool operator==(const Owner&) const = default;
    };
    struct Row {
        Key key{};
        Owner owner{};
        State state = State::kFree;
        bool is_write = false;  ///< `data` is for the device, and not from it.
        bool is_told = false;   ///< It answers; else it stayed silent or refused.
        bool was_read = false;  ///< Somebody has looked at the answer.
        std::uint64_t since_us = 0;
        SmpData data{};
    };

    [[nodiscard]] bool KnowsTheWay() const;
    [[nodiscard]] Owner OwnerOf(const Key& key) const;
    [[nodiscard]] Row* Find(const Key& key);
    [[nodiscard]] Row* Claim(const Key& key);
    [[nodiscard]] bool MayClaim(const Row& row) const;
    [[nodiscard]] bool IsBeingWritten(const Key& key) const;
    [[nodiscard]] bool IsStale(const Row& row) const;
    void Ask(std::size_t at, std::uint64_t now_us);

    static constexpr std::uint64_t kRetryUs = 50'000;
    static constexpr std::uint64_t kCostNs = 1'000'000'000 / kPerSecond;

    const AdministrationView& view_;
    Exchange& exchange_;
    std::array<Row, kRows> rows_{};
    bool is_short_ = false;   ///< Somebody waits whom no answer will wake.
    std::size_t wanted_ = 0;  ///< Rows in that state.
    std::size_t asked_ = 0;   ///< Likewise.
    std::uint64_t refused_writes_ = 0;
    std::uint64_t now_us_ = 0;
    std::uint64_t paid_until_ns_ = 0;  ///< Each question costs kCostNs; kAtOnce may be owed.
};

}  // namespace ember
