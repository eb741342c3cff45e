// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer under way, made from the tables segment by segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/query.h"
#include "core/administration/query/record_source.h"
#include "core/administration/transactions/request.h"
#include "core/base/assert.h"
#include "core/exchange/rmpp_sender.h"

namespace ember {

/// Room for a question that came in several segments: MultiPathRecord with 48 GIDs.
inline constexpr std::uint32_t kMaxRequestSegments = 4;
using SaRequestOctets = std::array<std::uint8_t, kMaxRequestSegments * kSaDataOctets>;

/// An answer that is not given at once: a table in segments, or a single record that has to be
/// looked for in more than one slice. Rows of the board's storage, Limits::max_sa_transfers.
///
/// Of the answer only the segment and the record being told are kept: the size of a row does not
/// depend on the length of the answer. A lost segment is made again from the tables: Seek() goes
/// back to a place that is remembered every kPlaceStride segments. The segment must come out as it
/// was sent. Its sum is remembered; if the sums differ the transfer ends, because the receiver may
/// hold segments of the old tables.
class Transfer {
public:
    /// The result of Make().
    enum class Made : std::uint8_t {
        kSegment,    ///< segment() may be sent.
        kLater,      ///< The budget is used up, or a device is awaited.
        kDifferent,  ///< The tables have changed under a segment that was sent before.
    };
    /// Segments that may be under way: beyond it a lost one cannot be made again.
    static constexpr std::uint32_t kMostInFlight = 128;

    Transfer() = default;
    Transfer(const Transfer&) = delete;  // The question points into the row.
    Transfer& operator=(const Transfer&) = delete;

    /// Starts an answer to `query`, whose record is copied: at most SaRequestOctets.
    void Begin(const Query& query, const Envelope& request, SourceIndex from, std::uint64_t now_us);

    [[nodiscard]] const Query& query() const { return query_; }
    /// The requester is in this row of the port table now.
    void FollowRequester(PortIndex at) { query_.requester = at; }
    [[nodiscard]] const Envelope& request() const { return request_; }
    [[nodiscard]] SourceIndex source() const { return source_; }
    [[nodiscard]] std::uint64_t began_us() const { return began_us_; }
    /// When the receiver last said something that moved the answer on; at first, when it asked.
    [[nodiscard]] std::uint64_t heard_us() const { return heard_us_; }
    void NoteHeard(std::uint64_t now_us) { heard_us_ = now_us; }
    [[nodiscard]] RmppSender& sender() { return sender_; }
    void StartSending(std::uint32_t timeout_us) { sender_ = RmppSender(timeout_us); }

    /// Makes segment `number`: the one after the last one made, or an earlier one.
    Made Make(std::uint32_t number, RecordSource& source, std::uint32_t& budget);
    /// The segment made last: its data, how many of its octets count, and whether it is the last.
    [[nodiscard]] std::span<const std::uint8_t> segment() const { return segment_; }
    [[nodiscard]] std::size_t filled() const { return filled_; }
    [[nodiscard]] bool is_last() const { return ended_ && packed_ == loaded_; }
    /// segment() went out: it will be known again.
    void Remember();

    /// Looks for the only record of an answer, for a Get. kRecord: record() is it; kEnd: there is
    /// none, or, when many(), more than one.
    [[nodiscard]] Found FindOnly(RecordSource& source, std::uint32_t& budget);
    [[nodiscard]] bool many() const { return many_; }
    [[nodiscard]] std::span<const std::uint8_t> record() const {
        EMBER_ASSERT(loaded_ <= record_.size());
        return std::span<const std::uint8_t>(record_).first(loaded_);
    }

private:
    static constexpr std::uint32_t kPlaceStride = 16;
    static constexpr std::size_t kPlaces = kMostInFlight / kPlaceStride + 2;

    /// Where a segment begins.
    struct Place {
        std::uint32_t segment = 0;
        std::uint16_t packed = 0;  ///< Octets of the record that earlier segments have told.
        Cursor before{};           ///< Finds that record.
    };

    [[nodiscard]] Found Load(RecordSource& source, std::uint32_t& budget);
    [[nodiscard]] bool Fill(RecordSource& source, std::uint32_t& budget);
    [[nodiscard]] bool Seek(std::uint32_t number);
    void BeginSegment(std::uint32_t number);
    [[nodiscard]] std::uint32_t Sum() const;
    [[nodiscard]] bool Differs() const;

    Envelope request_{};
    Query query_{};
    SourceIndex source_ = kNoSource;
    std::uint64_t began_us_ = 0;
    std::uint64_t heard_us_ = 0;
    RmppSender sender_{};

    Cursor cursor_{};  ///< Behind the record that is loaded.
    Cursor before_{};  ///< Before it.
    bool ended_ = false;
    bool many_ = false;
    bool is_made_ = false;       ///< segment_ is complete.
    std::uint16_t loaded_ = 0;   ///< Octets of record_ that count; 0: none is loaded.
    std::uint16_t packed_ = 0;   ///< Of these, octets that are in segments.
    std::uint16_t to_skip_ = 0;  ///< Octets of the next record that earlier segments have told.
    std::uint16_t filled_ = 0;   ///< Octets of segment_.
    std::uint32_t making_ = 0;   ///< The number of segment_.
    std::uint32_t highest_ = 0;  ///< The highest number ever sent.
    std::uint32_t last_ = 0;     ///< The number of the last segment; 0: it was not sent yet.
    std::array<std::uint8_t, kMaxRecordOctets> record_{};
    std::array<std::uint8_t, kSaDataOctets> segment_{};
    std::array<std::uint32_t, kMostInFlight> sums_{};
    std::array<Place, kPlaces> places_{};
    SaRequestOctets question_{};
};

}  // namespace ember
