// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a standby receives from its master.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/replication/peers.h"

namespace ember {

/// Puts the records of a master together, one at a time. The last piece of a record is acknowledged
/// when the record is done with: so the master sends no faster than they are applied, and what it
/// counts as acknowledged is in the tables here. Before that each kPiecesAnAck pieces are
/// acknowledged, and any that is not the next one: half a window goes out meanwhile.
class ReplicationFollower {
public:
    /// `record`: kReplicationRecordBytes; none: the board does not follow. `peers` outlives it.
    ReplicationFollower(std::span<std::byte> record, ReplicationPeers& peers)
        : record_(record), peers_(peers) {}
    ReplicationFollower(const ReplicationFollower&) = delete;
    ReplicationFollower& operator=(const ReplicationFollower&) = delete;

    static constexpr std::size_t kPiecesAnAck = 8;

    /// A kPiece of the master that we follow.
    void Hear(const ReplicationPeers::Heard& heard);
    /// A record is whole: record() has it until Done().
    [[nodiscard]] bool has_record() const { return has_record_; }
    [[nodiscard]] std::span<const std::byte> record() const { return record_.first(used_); }
    /// The record is the first one of a stream.
    [[nodiscard]] bool is_first() const { return number_ == 0; }
    /// The record was applied, or there is no room for what it says.
    void Done(PieceVerdict verdict);
    /// Gives up the stream: it makes no sense, or comes from a master that we follow no longer.
    void Forget();
    /// The master whose stream it is; kNoGuid: none.
    [[nodiscard]] Guid source() const { return source_; }
    /// All that we were fed, as `hello` of the source says, was done with, and nothing waits there.
    [[nodiscard]] bool HasAll(const ReplicationHello& hello) const;
    /// Records that were done with.
    [[nodiscard]] std::uint64_t records() const { return records_; }

private:
    void Acknowledge(PieceVerdict verdict);

    std::span<std::byte> record_;
    ReplicationPeers& peers_;
    Guid source_ = kNoGuid;
    std::uint32_t stream_ = 0;
    std::uint32_t number_ = 0;       ///< Of the record at hand.
    std::size_t used_ = 0;           ///< Octets of it that are here.
    std::size_t acked_ = 0;          ///< Of these, those that were acknowledged.
    std::size_t record_octets_ = 0;  ///< Of the whole, once its first piece is here.
    bool has_record_ = false;
    std::uint64_t records_ = 0;
};

}  // namespace ember
