// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer under way, made from the tables segment by segment.
#include "core/administration/transactions/transfer.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

void Transfer::Begin(const Query& query, const Envelope& request, SourceIndex from,
                     std::uint64_t now_us) {
    EMBER_ASSERT(query.record.size() <= question_.size());
    request_ = request;
    query_ = query;
    std::copy(query.record.begin(), query.record.end(), question_.begin());
    query_.record = std::span<const std::uint8_t>(question_).first(query.record.size());
    source_ = from;
    began_us_ = now_us;
    heard_us_ = now_us;
    sender_ = RmppSender();
    cursor_ = before_ = Cursor{};
    ended_ = many_ = is_made_ = false;
    loaded_ = packed_ = to_skip_ = filled_ = 0;
    making_ = highest_ = last_ = 0;
    for (Place& place : places_)
        place.segment = 0;
}

/// Loads the next record, if the one that is loaded has been told.
Found Transfer::Load(RecordSource& source, std::uint32_t& budget) {
    EMBER_ASSERT(packed_ <= loaded_);
    EMBER_ASSERT(source.traits().record_octets <= record_.size());
    if (packed_ < loaded_) return Found::kRecord;
    if (ended_) return Found::kEnd;
    Cursor next = cursor_;
    const std::span<std::uint8_t> room{record_.data(), source.traits().record_octets};
    const Found found = source.Next(query_, next, budget, room);
    // A later try goes on from where the search stands; nothing that counts lies before it.
    if (found != Found::kRecord) cursor_ = next;
    if (found == Found::kRecord) {
        before_ = cursor_;
        cursor_ = next;
        loaded_ = static_cast<std::uint16_t>(room.size());
        packed_ = std::min(to_skip_, loaded_);
        to_skip_ = 0;
    }
    if (found == Found::kEnd) {
        ended_ = true;
        loaded_ = packed_ = 0;
    }
    return found;
}

Found Transfer::FindOnly(RecordSource& source, std::uint32_t& budget) {
    // The first record, if any, is loaded and never told; the second would take its place.
    if (loaded_ == 0) {
        const Found first = Load(source, budget);
        if (first != Found::kRecord) return first;
    }
    EMBER_ASSERT(source.traits().record_octets <= kMaxRecordOctets);
    std::array<std::uint8_t, kMaxRecordOctets> second{};
    const Found found = source.Next(query_, cursor_, budget,
                                    std::span(second).first(source.traits().record_octets));
    if (found == Found::kLater) return found;
    many_ = found == Found::kRecord;
    return many_ ? Found::kEnd : Found::kRecord;
}

void Transfer::BeginSegment(std::uint32_t number) {
    EMBER_ASSERT(number > 0);
    making_ = number;
    filled_ = 0;
    is_made_ = false;
    if (number % kPlaceStride != 1 || number <= highest_) return;
    const bool within = packed_ < loaded_;
    places_[number / kPlaceStride % kPlaces] = {.segment = number,
                                                .packed = within ? packed_ : std::uint16_t{0},
                                                .before = within ? before_ : cursor_};
}

/// Goes back to the remembered place at or before segment `number`.
bool Transfer::Seek(std::uint32_t number) {
    EMBER_ASSERT(number <= highest_);
    EMBER_ASSERT(number > 0);
    const std::uint32_t at = (number - 1) / kPlaceStride * kPlaceStride + 1;
    const Place& place = places_[at / kPlaceStride % kPlaces];
    if (place.segment != at || highest_ - number >= kMostInFlight) return false;
    cursor_ = before_ = place.before;
    to_skip_ = place.packed;
    loaded_ = packed_ = 0;
    ended_ = false;
    BeginSegment(at);
    return true;
}

/// True when the segment is complete: full, and it is known whether there is more.
bool Transfer::Fill(RecordSource& source, std::uint32_t& budget) {
    EMBER_ASSERT(filled_ <= segment_.size());
    while (true) {
        const Found found = Load(source, budget);
        if (found == Found::kLater) return false;
        if (found == Found::kEnd) break;
        if (filled_ == segment_.size()) break;
        const std::size_t octets =
            std::min<std::size_t>(loaded_ - packed_, segment_.size() - filled_);
        std::copy_n(record_.begin() + packed_, octets, segment_.begin() + filled_);
        filled_ = static_cast<std::uint16_t>(filled_ + octets);
        packed_ = static_cast<std::uint16_t>(packed_ + octets);
    }
    std::fill(segment_.begin() + filled_, segment_.end(), std::uint8_t{0});
    is_made_ = true;
    return true;
}

/// True when another segment was sent with this number before, as far as that is still known.
bool Transfer::Differs() const {
    EMBER_ASSERT(making_ > 0);
    // Which segment is the last must not depend on a sum: a client that fills the tables can make
    // sums equal.
    if (making_ <= highest_ && is_last() != (making_ == last_)) return true;
    const bool is_known = making_ <= highest_ && highest_ - making_ < kMostInFlight;
    return is_known && Sum() != sums_[making_ % kMostInFlight];
}

Transfer::Made Transfer::Make(std::uint32_t number, RecordSource& source, std::uint32_t& budget) {
    EMBER_ASSERT(number > 0);
    // Where the place is forgotten, a lost segment cannot be made again.
    if (making_ != 0 && number < making_ && !Seek(number)) return Made::kDifferent;
    if (making_ == 0) BeginSegment(1);
    while (true) {
        if (!is_made_ && !Fill(source, budget)) return Made::kLater;
        if (Differs()) return Made::kDifferent;
        if (making_ >= number) return Made::kSegment;
        if (is_last()) return Made::kDifferent;  // The answer was longer before.
        BeginSegment(making_ + 1);
    }
}

void Transfer::Remember() {
    EMBER_ASSERT(making_ > 0 && making_ <= highest_ + 1);
    EMBER_ASSERT(is_made_);
    sums_[making_ % kMostInFlight] = Sum();
    highest_ = std::max(highest_, making_);
    if (is_last()) last_ = making_;
}

/// FNV-1a over words of the segment, and over what its header says of it.
std::uint32_t Transfer::Sum() const {
    std::uint64_t sum = 0xCBF29CE484222325ULL ^ filled_ ^ (is_last() ? 0x10000U : 0U);
    static_assert(kSaDataOctets % sizeof(std::uint64_t) == 0);
    for (std::size_t i = 0; i < segment_.size(); i += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        for (std::size_t octet = 0; octet < sizeof word; ++octet) {
            word = word << 8U | segment_[i + octet];
        }
        sum = (sum ^ word) * 0x100000001B3ULL;
        sum ^= sum >> 32U;
    }
    return static_cast<std::uint32_t>(sum);
}

}  // namespace ember
