// SPDX-License-Identifier: Apache-2.0
// EmberSM: datagrams between subnet managers of this kind; docs/replication.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

/// What a subnet manager tells of itself.
struct ReplicationHello {
    SmState state{};                        //  0
    std::uint8_t priority = 0;              //  1
    Be<std::uint16_t> format;               //  2: of what it can follow; kReplicationFormat
    Be<std::uint32_t> reserved;             //  4
    Be<std::uint64_t> counter;              //  8: of its configuration; 0: it has none
    std::array<std::uint8_t, 32> digest{};  // 16: of its configuration
};
static_assert(WireStruct<ReplicationHello> && sizeof(ReplicationHello) == 48);
static_assert(sizeof(ReplicationHello) <= kReplicationBodyBytes);

}  // namespace ember
