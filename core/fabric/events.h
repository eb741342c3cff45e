// SPDX-License-Identifier: Apache-2.0
// EmberSM: the events that are reported to subscribers of notices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/gid.h"
#include "core/base/ids.h"
#include "core/wire/node_info.h"
#include "core/wire/notice.h"

namespace ember {

/// An event for subscribers: one of the subnet manager's own, traps 64 to 67 (IBA vol.
/// 1, 14.2.5.1), or a trap that a port of the fabric sent.
struct SubnetEvent {
    TrapNumber trap{};
    std::uint16_t p_key = 0;  ///< Of traps 66 and 67: the group's. 0: the event is no group's.
    NodeType node_type{};     ///< Of the port that it is about, which may be gone when it is told.
    Gid gid;                  ///< Of our own events: the GID of the port or group.
    std::uint64_t at_us = 0;
    Guid issuer = kNoGuid;  ///< PortGUID of the sender of a trap; kNoGuid: our own event.
    Notice notice{};        ///< The Notice of a trap as it was sent; empty for our own events.
};

/// The last events of one kind, in order. Writers never wait: in a full ring the oldest event is
/// overwritten. A reader keeps the serial number of the event that it reads next; serial numbers
/// begin with 0.
class EventRing {
public:
    explicit EventRing(std::span<SubnetEvent> ring) : ring_(ring) { EMBER_ASSERT(!ring.empty()); }
    EventRing(const EventRing&) = delete;
    EventRing& operator=(const EventRing&) = delete;

    void Write(const SubnetEvent& event) { ring_[SlotOf(next_++)] = event; }

    /// The serial number of the next event.
    [[nodiscard]] std::uint64_t next() const { return next_; }
    /// The serial number of the oldest event in the ring; next() while it is empty.
    [[nodiscard]] std::uint64_t oldest() const {
        return next_ > ring_.size() ? next_ - ring_.size() : 0;
    }
    /// Event `serial`; asserts oldest() <= serial < next().
    [[nodiscard]] const SubnetEvent& At(std::uint64_t serial) const {
        EMBER_ASSERT(serial >= oldest() && serial < next_);
        return ring_[SlotOf(serial)];
    }

private:
    [[nodiscard]] std::size_t SlotOf(std::uint64_t serial) const {
        EMBER_ASSERT(!ring_.empty());
        return static_cast<std::size_t>(serial % ring_.size());
    }

    std::span<SubnetEvent> ring_;
    std::uint64_t next_ = 0;
};

/// The events for subscribers: our own in one ring and traps of the fabric in another, so that a
/// port that sends many traps cannot displace our own events.
class SubnetEvents {
public:
    /// Traps in the ring, and how many of them one port may write within kShareUs.
    static constexpr std::size_t kTraps = 32;
    static constexpr std::size_t kShare = kTraps / 4;
    static constexpr std::uint64_t kShareUs = 10'000'000;

    /// `ring` is for our own events.
    explicit SubnetEvents(std::span<SubnetEvent> ring) : own_(ring) {}
    SubnetEvents(const SubnetEvents&) = delete;
    SubnetEvents& operator=(const SubnetEvents&) = delete;

    /// Writes an event to its ring. A trap of a port that has used up its share is dropped.
    void Write(const SubnetEvent& event) {
        if (event.issuer == kNoGuid) {
            own_.Write(event);
        } else if (HasShareLeft(event)) {
            traps_.Write(event);
        }
    }

    [[nodiscard]] const EventRing& own() const { return own_; }
    [[nodiscard]] const EventRing& traps() const { return traps_; }

private:
    [[nodiscard]] bool HasShareLeft(const SubnetEvent& event) const {
        EMBER_ASSERT(event.issuer != kNoGuid);
        std::size_t written = 0;
        for (std::uint64_t serial = traps_.oldest(); serial < traps_.next(); ++serial) {
            const SubnetEvent& trap = traps_.At(serial);
            const bool is_recent = event.at_us - trap.at_us < kShareUs;
            if (trap.issuer == event.issuer && is_recent) ++written;
        }
        return written < kShare;
    }

    EventRing own_;
    std::array<SubnetEvent, kTraps> trap_rows_{};
    EventRing traps_{trap_rows_};
};

}  // namespace ember
