// SPDX-License-Identifier: Apache-2.0
// EmberSM: everything the subnet manager asks of the machine it runs on. To port it, implement
// this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"  // Panic(), which the platform supplies too.
#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/wire/mad.h"
#include "core/wire/replication_mad.h"

namespace ember {

/// A management datagram, and where it is going or came from.
struct Envelope {
    Lid peer = kPermissiveLid;    ///< The permissive LID on a directed route.
    std::uint8_t queue_pair = 0;  ///< 0 for subnet management, 1 for general services.
    std::uint8_t service_level = 0;
    /// Into the P_Key table of our own port: of the packet when received, for it when sent. An
    /// answer goes out with that of its request. Queue pair 0 has none. IBA vol. 1, 10.9.
    std::uint16_t p_key_index = 0;
    std::uint32_t remote_queue_pair =
        0;  ///< Sender's queue pair when received; target's when sent.
    /// How long, in microseconds, an answer may still be of use: a hint for drivers that must be
    /// told (ib_umad). 0 when no answer is expected.
    std::uint32_t answer_within_us = 0;
    Mad mad{};
};

/// The part of the manager that hears datagrams of a class.
enum class Room : std::uint8_t { kSm, kSa, kReplication };

inline constexpr std::array kSmMethods = {Method::kGet, Method::kSet, Method::kTrap,
                                          Method::kTrapRepress};
/// A peer's word on an answer in segments (ACK, STOP, ABORT) bears the method of its question.
inline constexpr std::array kSaMethods = {
    Method::kGet,           Method::kSet,         Method::kTrap,
    Method::kReport,        Method::kTrapRepress, Method::kGetTable,
    Method::kGetTraceTable, Method::kGetMulti,    Method::kDelete};
inline constexpr std::array kReplicationMethods = {Method::kSend};

/// A management class that the core speaks. A driver that must register classes registers these
/// rows; any other driver hands over what arrives.
struct ServedClass {
    MgmtClass mgmt_class;
    std::uint8_t class_version;
    std::uint8_t queue_pair;  ///< Our own.
    Room room;
    std::span<const Method> methods;  ///< With which a peer begins a conversation.
    /// Of a vendor's class, to whom it belongs; zeros for any other.
    std::array<std::uint8_t, 3> oui{};
};
// clang-format off
inline constexpr std::array kServedClasses = {
    ServedClass{MgmtClass::kSubnLid,      kSubnClassVersion,    0, Room::kSm, kSmMethods},
    ServedClass{MgmtClass::kSubnDirected, kSubnClassVersion,    0, Room::kSm, kSmMethods},
    ServedClass{MgmtClass::kSubnAdm,      kSubnAdmClassVersion, 1, Room::kSa, kSaMethods},
    ServedClass{kReplicationClass,        kReplicationClassVersion, 1, Room::kReplication,
                kReplicationMethods, kReplicationOui},
};
// clang-format on

/// The row of a class in kServedClasses; its size: the core does not speak this class.
[[nodiscard]] constexpr std::size_t ServedRowOf(MgmtClass mgmt_class) {
    std::size_t row = 0;
    while (row < kServedClasses.size() && kServedClasses[row].mgmt_class != mgmt_class) {
        ++row;
    }
    return row;
}

/// The management port: all datagrams are sent and received through it.
///
/// The core expects no blocking and no callback, and copes with loss, repetition, corruption and
/// reordering. The core retries; a backend must not. References are valid until the call returns.
/// The upper 32 bits of a TransactionId may be changed on the way out; the lower 32 come back.
class MadPort {
public:
    /// kBusy when the hardware queue is full: nothing was sent, the caller keeps the datagram.
    /// kDevice when the port is gone for good.
    virtual Status Send(const Envelope& envelope) = 0;

    /// kBusy when nothing has arrived: `envelope` is untouched.
    virtual Status Receive(Envelope& envelope) = 0;

protected:
    ~MadPort() = default;  // Backends are static objects, which are never deleted.
};

/// How long a full port is left alone, in microseconds: some hundred SMPs leave an HCA meanwhile.
inline constexpr std::uint64_t kPortPauseUs = 100;

/// Time since start, in microseconds. Never jumps, never runs backwards; a test turns it by hand.
class Clock {
public:
    [[nodiscard]] virtual std::uint64_t NowUs() const = 0;

protected:
    ~Clock() = default;
};

/// The wall clock, which may jump and be wrong: only what outlives this run is judged by it.
class Calendar {
public:
    /// Seconds since the beginning of 1970; 0: the machine does not know.
    [[nodiscard]] virtual std::uint64_t UnixSeconds() const = 0;

protected:
    ~Calendar() = default;
};

/// The data that the subnet manager keeps over a restart, by name.
enum class StoreSlot : std::uint8_t {
    kGuidToLid,             ///< The LID of every port GUID; see core/lids/lid_map.h.
    kConfigurationCounter,  ///< No configuration older than this is accepted: see config/blob.
    kConfigurationBlob,     ///< A configuration blob; the one in force, or the one before or after.
    kConfigurationOther,    ///< And another one.
    kConfigurationTrial,    ///< Which of the two counts; see config/blob/trial_record.h.
    kMKeys,                 ///< Secrets, and ways to guarded ports; see core/m_keys/m_key_file.h.
};

/// Octets that survive a restart. A slot is written whole or not at all, power loss included;
/// the backend guards it with a checksum and answers kMalformed when that does not fit.
class Store {
public:
    /// Replaces the slot. kOk: the octets survive a power loss from now on. kBusy: that takes
    /// longer than a step may; ask again, with what shall stand there then, to hear how it ended. A
    /// backend that may take longer answers so at first, and holds the octets meanwhile. kDevice
    /// when they could not be written: the old octets are still there.
    virtual Status Save(StoreSlot slot, std::span<const std::byte> octets) = 0;

    /// Fills the front of `octets` and returns how many there were; of a slot that is being
    /// written, what will stand there. kAbsent when the slot was never written, kMalformed when it
    /// is damaged, kFull when `octets` is too small.
    virtual Result<std::size_t> Load(StoreSlot slot, std::span<std::byte> octets) = 0;

protected:
    ~Store() = default;
};

/// A log that survives a restart: octets are added at its end, a few at a time and often.
///
/// A single generation of it is in force. A new one is written beside it and takes its place at
/// once or not at all, so that a log can be made short. Appended octets become safe in their order,
/// by themselves and within moments; no call waits for that. After a power loss the generation in
/// force begins with everything that was safe; behind it there may be octets that were not, or any
/// others: the reader must be able to tell.
class StateLog {
public:
    /// Fills `octets` with what stands from `offset` on in the generation that was in force at the
    /// start, and returns how many there were: fewer than asked for at its end. Not to be called
    /// after Begin(). kAbsent: there is none. kDevice: it cannot be read.
    virtual Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> octets) = 0;
    /// Seconds from when that generation was last written to until now, with the time when nothing
    /// ran; 0: the machine cannot tell.
    [[nodiscard]] virtual std::uint64_t AgeSeconds() = 0;

    /// A new generation begins, empty and beside the one in force; one that was begun before and
    /// never came into force is forgotten. kBusy: ask again. kDevice: it cannot be.
    virtual Status Begin() = 0;
    /// Adds octets to the generation begun last. kOk: the log has them, and they will be safe.
    /// kBusy: nothing was taken, ask again. kFull: nothing was taken, and there is no room in this
    /// generation. kDevice: something appended earlier, or this, was lost; nothing more can be
    /// appended to this generation.
    virtual Status Append(std::span<const std::byte> octets) = 0;
    /// The generation begun last takes the place of the one in force. kBusy: it does not yet; ask
    /// again, and append nothing before the answer. kOk: all that was appended to it is safe, and
    /// it is in force. kDevice: it is lost; the one in force is still there.
    virtual Status Commit() = 0;
    /// Octets of the generation begun last that are safe.
    [[nodiscard]] virtual std::uint64_t SafeBytes() const = 0;

protected:
    ~StateLog() = default;
};

/// Unpredictable numbers; on a simulated fabric a function of the seed.
class Entropy {
public:
    [[nodiscard]] virtual std::uint64_t Draw() = 0;

protected:
    ~Entropy() = default;
};

/// Codes over messages between subnet managers that share a key: HMAC-SHA-256. Calls come hundreds
/// of times a second, so a code takes some ten microseconds at most.
class MessageCodes {
public:
    /// Codes are of this key from now on. kDevice: the machine cannot make any.
    virtual Status TakeKey(std::span<const std::byte> key) = 0;
    /// The code of `message`. kDevice: there is no key, or the machine fails.
    [[nodiscard]] virtual Result<MacCode> Of(std::span<const std::byte> message) = 0;

protected:
    ~MessageCodes() = default;
};

}  // namespace ember
