// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams between subnet managers of this kind; docs/replication-records.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/be.h"
#include "core/base/ids.h"
#include "core/wire/mad.h"
#include "core/wire/sa_mad.h"
#include "core/wire/sm_info.h"

namespace ember {

/// A class of the range for vendors with RMPP, 0x30 to 0x4F. IBA vol. 1, 13.4.4, 16.5.
inline constexpr auto kReplicationClass = static_cast<MgmtClass>(0x3B);
inline constexpr std::uint8_t kReplicationClassVersion = 1;
/// The class belongs to whom this names: an OUI of the locally administered ones.
inline constexpr std::array<std::uint8_t, 3> kReplicationOui = {0x02, 0x45, 0x4D};
/// The one attribute of the class.
inline constexpr auto kReplicationMessage = static_cast<AttributeId>(0x0101);

/// Of the layout of ReplicationMad, and of the meaning of kinds.
inline constexpr std::uint8_t kReplicationVersion = 1;

enum class ReplicationKind : std::uint8_t {
    kHello = 1,        ///< ReplicationHello; asks for a kHelloAnswer.
    kHelloAnswer = 2,  ///< ReplicationHello.
    kPiece = 3,        ///< PieceHead, and octets of a record of the master.
    kPieceAck = 4,     ///< PieceAck.
};

/// Stands before the body of each message.
struct ReplicationHead {
    std::uint8_t version = kReplicationVersion;  //  0
    ReplicationKind kind{};                      //  1
    Be<std::uint16_t> octets;                    //  2: of the body
    Be<std::uint32_t> reserved;                  //  4
    Be<Guid> sender;                             //  8: PortGUID
    Be<std::uint64_t> sender_nonce;              // 16: drawn by the sender for this session
    Be<std::uint64_t> receiver_nonce;            // 24: drawn by the receiver; 0: not known yet
    Be<std::uint64_t> number;                    // 32: grows with each message of a session
};
static_assert(WireStruct<ReplicationHead> && sizeof(ReplicationHead) == 40);

inline constexpr std::size_t kReplicationBodyBytes = 160;

/// A message authentication code: the first half of HMAC-SHA-256. RFC 2104, 5 permits the cut.
using MacCode = std::array<std::uint8_t, 16>;

/// A message. The code covers head and body.
struct ReplicationMad {
    MadHeader header;                                      //   0
    RmppHeader rmpp{};                                     //  24: not active
    std::uint8_t reserved = 0;                             //  36
    std::array<std::uint8_t, 3> oui = kReplicationOui;     //  37
    ReplicationHead head;                                  //  40
    std::array<std::uint8_t, kReplicationBodyBytes> body;  //  80
    MacCode code;                                          // 240
};
static_assert(WireStruct<ReplicationMad> && sizeof(ReplicationMad) == kMadOctets);
static_assert(offsetof(ReplicationMad, oui) == 37 && offsetof(ReplicationMad, head) == 40);
static_assert(offsetof(ReplicationMad, body) == 80 && offsetof(ReplicationMad, code) == 240);

/// The octets that the code of a message covers: head and body.
[[nodiscard]] inline std::span<const std::byte> CoveredByCode(const ReplicationMad& mad) {
    constexpr std::size_t kAt = offsetof(ReplicationMad, head);
    return std::as_bytes(std::span(&mad, 1)).subspan(kAt, offsetof(ReplicationMad, code) - kAt);
}

/// A message without content and code.
[[nodiscard]] constexpr ReplicationMad BlankReplicationMad() {
    ReplicationMad mad{};
    mad.header.base_version = kBaseVersion;
    mad.header.mgmt_class = kReplicationClass;
    mad.header.class_version = kReplicationClassVersion;
    mad.header.method = Method::kSend;
    mad.header.attribute_id = kReplicationMessage;
    return mad;
}

/// A greeting: what a subnet manager tells of itself.
struct ReplicationHello {
    SmState state{};                        //  0
    std::uint8_t priority = 0;              //  1
    Be<std::uint16_t> format;               //  2: of what it can follow; kReplicationFormat
    Be<std::uint16_t> stream;               //  4: low half of that which the receiver is fed
    Be<std::uint16_t> wanted;               //  6: see kChangesWait
    Be<std::uint64_t> counter;              //  8: of its configuration; 0: it has none
    std::array<std::uint8_t, 32> digest{};  // 16: of its configuration
};
static_assert(WireStruct<ReplicationHello> && sizeof(ReplicationHello) == 48);
static_assert(sizeof(ReplicationHello) <= kReplicationBodyBytes);

/// In ReplicationHello:wanted: the receiver is not told of all that was changed, but of what is
/// gathered at present. The other bits are the low ones of the record that it shall want next.
inline constexpr std::uint16_t kChangesWait = 0x8000;

/// Before the octets of a piece. A record goes out in pieces, in order.
struct PieceHead {
    Be<std::uint32_t> stream;         //  0: drawn for each row of records
    Be<std::uint32_t> record;         //  4: from 0 on
    Be<std::uint16_t> record_octets;  //  8: of the whole record
    Be<std::uint16_t> at;             // 10: where in it the piece begins
    Be<std::uint32_t> reserved;       // 12
};
static_assert(WireStruct<PieceHead> && sizeof(PieceHead) == 16);
inline constexpr std::size_t kMostPieceOctets = kReplicationBodyBytes - sizeof(PieceHead);

/// The verdict on a piece.
enum class PieceVerdict : std::uint8_t {
    kWanted = 0,  ///< All before (record, at) is there; go on with that.
    kTooLarge,    ///< The record, or what it says, does not fit there.
};

struct PieceAck {
    Be<std::uint32_t> stream;                //  0
    Be<std::uint32_t> record;                //  4
    Be<std::uint16_t> at;                    //  8
    PieceVerdict verdict{};                  // 10
    std::array<std::uint8_t, 5> reserved{};  // 11
};
static_assert(WireStruct<PieceAck> && sizeof(PieceAck) == 16);

}  // namespace ember
