// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a master sends to its standbys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/time.h"
#include "core/log/log.h"
#include "core/platform.h"
#include "core/replication/peers.h"

namespace ember {

/// Octets of a record, on a board that replicates: of the feed, of the follower, of the journal.
inline constexpr std::size_t kReplicationRecordBytes = 4096;

/// A StateLog that lies in the memory of all standbys: what is appended to it, a frame of a journal
/// at a time, is a record that goes to each of them.
///
/// A single record is under way at a time: Append() says kBusy until all that are fed have it. A
/// standby that acknowledges nothing for kPatienceUs is fed no longer, so it holds up the others no
/// longer than that. The standby is fed again from the next generation on, as is one that came
/// meanwhile: wants_generation() asks for that. So memory is one record, however many standbys
/// there are, and the order on the wire is that of the journal.
class ReplicationFeed final : public StateLog {
public:
    /// Pieces sent in a millisecond, to all together: 2 MB a second, less than a hundredth of the
    /// slowest link.
    static constexpr std::uint32_t kPiecesAtOnce = 8;
    static constexpr std::uint64_t kPaceUs = kMillisecondUs;
    /// Pieces that a standby may have under way.
    static constexpr std::size_t kWindowPieces = 16;
    static constexpr std::uint64_t kRepeatUs = 25 * kMillisecondUs;
    static constexpr std::uint64_t kPatienceUs = 2 * kSecondUs;
    /// A record under way for longer than that holds up changes.
    static constexpr std::uint64_t kLateUs = 200 * kMillisecondUs;
    /// Between two generations that are made for standbys which lack one.
    static constexpr std::uint64_t kGenerationUs = 5 * kSecondUs;

    /// All outlive it.
    struct Parts {
        ReplicationPeers& peers;
        Entropy& entropy;
        Log& log;
    };
    /// `record`: kReplicationRecordBytes; none: the board feeds no standby.
    ReplicationFeed(std::span<std::byte> record, const Parts& parts)
        : record_(record), parts_(parts) {}
    ReplicationFeed(const ReplicationFeed&) = delete;
    ReplicationFeed& operator=(const ReplicationFeed&) = delete;

    // StateLog. Nothing can be read from it.
    Result<std::size_t> Read(std::uint64_t offset, std::span<std::byte> octets) override;
    [[nodiscard]] std::uint64_t AgeSeconds() override { return 0; }
    Status Begin() override;
    Status Append(std::span<const std::byte> octets) override;
    Status Commit() override;
    [[nodiscard]] std::uint64_t SafeBytes() const override { return safe_bytes_; }

    /// Of the generation: the highest that all standbys follow which could be fed when it began; 0:
    /// none has begun.
    [[nodiscard]] std::uint16_t format() const { return format_; }
    /// Some proved peer is not fed, or all could be told more, and a new generation may begin.
    [[nodiscard]] bool wants_generation(std::uint64_t now_us) const;
    [[nodiscard]] bool feeds_any() const;
    /// Some standby that is fed has not acknowledged all of the record at hand.
    [[nodiscard]] bool IsUnderWay() const;
    /// A standby that is fed has not acknowledged all of it.
    [[nodiscard]] bool IsBehind(const ReplicationPeer& row) const;
    /// Nothing is under way any more, and no standby is fed.
    void Stop();
    /// Sends what is due.
    void Step(std::uint64_t now_us);
    /// Sets what greetings tell each standby of its feed. `is_copied`: the journal has copied
    /// everything, and appends changes.
    void Report(bool is_copied, std::uint64_t now_us);
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return next_us_; }
    /// A PieceAck of a peer.
    void Hear(const ReplicationPeers::Heard& heard, std::uint64_t now_us);
    /// For how long some standby has lacked the record at hand; 0: all have it.
    [[nodiscard]] std::uint64_t BehindUs(std::uint64_t now_us) const {
        return IsUnderWay() ? now_us - appended_us_ : 0;
    }
    /// Records that every standby which was fed then has.
    [[nodiscard]] std::uint64_t records() const { return records_; }

private:
    [[nodiscard]] static bool IsFor(const ReplicationPeer& row);
    [[nodiscard]] std::uint16_t HighestFormat() const;
    void StepPeer(ReplicationPeer& row, std::uint64_t now_us);
    void SendPiece(ReplicationPeer& row);

    std::span<std::byte> record_;
    Parts parts_;
    std::size_t used_ = 0;  ///< Of record_: the record at hand; 0: there is none.
    std::uint16_t format_ = 0;
    std::uint32_t stream_ = 0;
    std::uint32_t number_ = 0;  ///< Of the record at hand, or of the next one.
    std::uint64_t records_ = 0;
    std::uint64_t safe_bytes_ = 0;
    std::uint64_t appended_us_ = 0;  ///< The record at hand.
    std::uint64_t now_us_ = 0;       ///< Of the last Step().
    std::uint64_t began_us_ = 0;     ///< The present generation.
    bool has_begun_ = false;
    std::uint64_t next_us_ = kNever;
    std::uint64_t paced_us_ = 0;  ///< Until then `pieces_` were sent.
    std::uint32_t pieces_ = 0;
};

}  // namespace ember
