// SPDX-License-Identifier: Apache-2.0
// EmberSM: tables that only a device knows, read when a client asks for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/administration/query/query.h"
#include "core/base/ids.h"
#include "core/exchange/exchange.h"
#include "core/wire/smp.h"

namespace ember {

inline constexpr Client kAdministrationClient{5};

/// Tables of ports that the subnet manager does not keep: P_Keys, SL to VL, VL arbitration. A
/// source looks for one; if it is not here the device is asked, and the source looks again later.
///
/// Tables that are awaited or were just read lie in a small fixed table: no client can make it
/// grow. No client can make it flood the subnet either: questions go out as answers come in, when
/// the exchange has room, few at once to one device and kAtOnce in all. While a sweep, programming
/// or multicast trees have SMPs under way, kBesideOthers and a lower rate hold. An answer is used
/// for kFreshUs: longer than a segment takes to be sent again, not so long that it is stale. A
/// device that did not answer any try is not asked for kSilenceUs.
class DeviceTables {
public:
    static constexpr std::size_t kRows = 64;
    static constexpr std::size_t kAtOnce = 16;       ///< Under way, when nothing else is.
    static constexpr std::size_t kBesideOthers = 4;  ///< ... and when something is.
    static constexpr std::size_t kAtOnceOfSwitch = 8;
    static constexpr std::size_t kAtOnceOfHost = 2;
    static_assert(kBesideOthers <= kAtOnce && kAtOnce <= kRows);
    static_assert(kAtOnceOfHost <= kAtOnceOfSwitch && kAtOnceOfSwitch <= kAtOnce);
    static constexpr std::uint64_t kPerSecond = 50'000;  ///< Questions, when nothing else is asked.
    static constexpr std::uint64_t kPerSecondBesideOthers = 8000;
    static constexpr std::uint64_t kFreshUs = 2'000'000;
    static constexpr std::uint64_t kSilenceUs = 5'000'000;

    struct Key {
        PortIndex port = kNoPortIndex;
        AttributeId attribute{};
        std::uint32_t modifier = 0;
        [[nodiscard]] bool operator==(const Key&) const = default;
    };
    enum class Word : std::uint8_t {
        kTable,   ///< `data` is the table.
        kSilent,  ///< The device does not answer, has not lately, or has no such table.
        kLater,   ///< The answer is awaited, or a free row.
    };

    DeviceTables(const AdministrationView& view, Exchange& exchange)
        : view_(view), exchange_(exchange) {}
    DeviceTables(const DeviceTables&) = delete;
    DeviceTables& operator=(const DeviceTables&) = delete;

    /// Looks for a table, and wants it from now on.
    [[nodiscard]] Word Look(const Key& key, SmpData& data);
    /// Wants a table that will be looked for soon. Does nothing when the table is half full.
    void Want(const Key& key);

    /// Drops what is wanted and not asked yet. Questions under way go on. Costs nothing when
    /// nothing is wanted.
    void Forget();
    /// Asks what may be asked. Call it once a step.
    void Step(std::uint64_t now_us);
    /// An answer with kAdministrationClient in its cookie.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// When Step() has work that no answer brings about; kNever: it has none.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

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
        bool has_table = false;  ///< The device answered; else it stayed silent or refused.
        bool was_read = false;   ///< A source has looked at the answer.
        std::uint64_t since_us = 0;
        SmpData data{};
    };

    [[nodiscard]] bool KnowsTheWay() const;
    [[nodiscard]] Owner OwnerOf(const Key& key) const;
    [[nodiscard]] Row* Find(const Key& key);
    [[nodiscard]] Row* Claim(const Key& key);
    [[nodiscard]] bool MayClaim(const Row& row) const;
    [[nodiscard]] bool IsStale(const Row& row) const;
    [[nodiscard]] bool IsAlone() const { return exchange_.in_flight() <= asked_; }
    [[nodiscard]] std::size_t MostAtOnce() const { return IsAlone() ? kAtOnce : kBesideOthers; }
    [[nodiscard]] bool MayAsk(const Row& row) const;
    [[nodiscard]] bool IsSilent(Guid node) const;
    void NoteSilence(Guid node, bool is_silent);
    void Ask(std::size_t at, std::uint64_t now_us);

    /// A device that said nothing, and until when it is left alone.
    struct Silence {
        Guid node = kNoGuid;
        std::uint64_t until_us = 0;
    };
    static constexpr std::size_t kSilences = 16;
    static constexpr std::uint64_t kRetryUs = 50'000;
    static constexpr std::uint64_t kCostNs = 1'000'000'000 / kPerSecond;
    static constexpr std::uint64_t kCostBesideOthersNs = 1'000'000'000 / kPerSecondBesideOthers;
    static constexpr std::uint64_t kOwedNs = kAtOnce * kCostBesideOthersNs;

    const AdministrationView& view_;
    Exchange& exchange_;
    std::array<Row, kRows> rows_{};
    bool is_short_ = false;   ///< A transfer waits that no answer wakes.
    std::size_t wanted_ = 0;  ///< Rows in that state.
    std::size_t asked_ = 0;   ///< Likewise.
    std::uint64_t now_us_ = 0;
    std::uint64_t paid_until_ns_ = 0;  ///< Each question has its cost; kOwedNs may be owed.
    std::array<Silence, kSilences> silences_{};
};

}  // namespace ember
