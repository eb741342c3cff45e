// SPDX-License-Identifier: Apache-2.0
// EmberSM: what there is to tell those who asked for notices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/gid.h"
#include "core/base/ids.h"
#include "core/wire/notice.h"

namespace ember {

/// Something to be told: of the subnet manager's own, traps 64 to 67 (IBA vol. 1, 14.2.5.1), or a
/// trap that a port of the fabric sent.
struct SubnetEvent {
    TrapNumber trap{};
    Gid gid;  ///< Of our own: what came, went, was created or deleted.
    std::uint64_t at_us = 0;
    Guid issuer = kNoGuid;  ///< PortGUID of who sent it; kNoGuid: we did.
    Notice notice{};        ///< As it was sent; empty when it is our own.
};

/// The last events, in order. Writers never wait: when the ring is full the oldest is forgotten.
/// A reader keeps the serial number of the event it wants next; numbers count on from 0.
class SubnetEvents {
public:
    explicit SubnetEvents(std::span<SubnetEvent> ring) : ring_(ring) {
        EMBER_ASSERT(!ring.empty());
    }
    SubnetEvents(const SubnetEvents&) = delete;
    SubnetEvents& operator=(const SubnetEvents&) = delete;

    void Write(const SubnetEvent& event) { ring_[SlotOf(next_++)] = event; }

    /// The number that the next event will have.
    [[nodiscard]] std::uint64_t next() const { return next_; }
    /// The oldest event that is still known has this number.
    [[nodiscard]] std::uint64_t oldest() const {
        return next_ > ring_.size() ? next_ - ring_.size() : 0;
    }
    /// Event `serial`, oldest() <= serial < next().
    [[nodiscard]] const SubnetEvent& At(std::uint64_t serial) const {
        EMBER_ASSERT(serial >= oldest() && serial < next_);
        return ring_[SlotOf(serial)];
    }

private:
    [[nodiscard]] std::size_t SlotOf(std::uint64_t serial) const {
        return static_cast<std::size_t>(serial % ring_.size());
    }

    std::span<SubnetEvent> ring_;
    std::uint64_t next_ = 0;
};

}  // namespace ember
