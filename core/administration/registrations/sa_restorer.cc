// SPDX-License-Identifier: Apache-2.0
// EmberSM: restores what clients had registered before a restart.
#include "core/administration/registrations/sa_restorer.h"

#include <algorithm>
#include <cstring>

#include "core/base/assert.h"
#include "core/base/time.h"

namespace ember {

void SaRestorer::Begin(const SaFile& file) {
    outcome_ = SaRestored{};
    file_ = file;
    if (parts_.log != nullptr) return BeginReading(false);
    is_file_ = false;
    GiveUpSource();
}

void SaRestorer::BeginReading(bool of_file) {
    EMBER_ASSERT(of_file || parts_.log != nullptr);
    is_file_ = of_file;
    at_ = 0;
    generation_ = 0;
    sequence_ = 0;
    is_complete_ = false;
    clock_us_ = 0;
    state_ = State::kMeasuring;
}

/// On to the next one, if there is one.
void SaRestorer::GiveUpSource() {
    if (!is_file_ && !file_.octets.empty()) return BeginReading(true);
    state_ = State::kJudging;
}

bool SaRestorer::Step(std::uint64_t now_us) {
    switch (state_) {
        case State::kDone:
            return false;
        case State::kMeasuring:
            Measure();
            break;
        case State::kObeying:
            ObeySome(now_us);
            break;
        case State::kJudging:
            Judge(now_us);
            break;
    }
    return state_ != State::kDone;
}

/// Reads on from at_; how many octets there are.
std::size_t SaRestorer::Fill() {
    EMBER_ASSERT(is_file_ || parts_.log != nullptr);
    if (is_file_) {
        const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(at_, file_.octets.size()));
        const std::size_t count = std::min(file_.octets.size() - at, buffer_.size());
        std::memcpy(buffer_.data(), file_.octets.data() + at, count);
        return count;
    }
    const Result<std::size_t> read = parts_.log->Read(at_, buffer_);
    if (read.ok()) return read.value();
    outcome_.journal = read.status();
    return 0;
}

/// Frames of one buffer, and where the next buffer begins.
void SaRestorer::Measure() {
    EMBER_ASSERT(state_ == State::kMeasuring);
    StatusOfSource() = Status::kOk;
    std::span<const std::byte> octets = buffer_.first(Fill());
    if (StatusOfSource() != Status::kOk) {
        EndMeasuring();
        return;
    }
    const std::uint64_t began = at_;
    for (;;) {  // Ends: each turn takes a frame off, or leaves.
        const Result<SaFrame> frame = ReadFrame(octets);
        const bool is_first = at_ == 0;
        if (frame.ok() && is_first) generation_ = frame.value().head.generation;
        const bool fits = frame.ok() && frame.value().head.generation == generation_ &&
                          frame.value().head.sequence == sequence_;
        if (!fits) break;
        ++sequence_;
        clock_us_ = frame.value().head.clock_us;
        for (std::span<const std::byte> rest = frame.value().entries; !rest.empty();) {
            const Result<SaEntry> entry = TakeEntry(rest);
            is_complete_ = is_complete_ || entry.value().kind == SaEntryKind::kComplete;
        }
        at_ += frame.value().bytes();
        octets = octets.subspan(frame.value().bytes());
    }
    // A frame that is cut by the end of the buffer is read again.
    if (at_ != began) return;
    outcome_.beyond = octets.size();
    EndMeasuring();
}

void SaRestorer::EndMeasuring() {
    EMBER_ASSERT(state_ == State::kMeasuring);
    if (!is_file_) outcome_.generation = generation_;
    Status& status = StatusOfSource();
    if (status == Status::kOk && !is_complete_) {
        status = at_ == 0 && outcome_.beyond == 0 ? Status::kAbsent : Status::kMalformed;
    }
    if (status != Status::kOk) return GiveUpSource();
    outcome_.source = is_file_ ? SaRestoreSource::kFile : SaRestoreSource::kJournal;
    outcome_.bytes = at_;
    applier_.Begin();
    applier_.SetClock(clock_us_ + AgeUs());
    at_ = 0;
    unread_ = {};
    entries_ = {};
    state_ = State::kObeying;
}

std::uint64_t SaRestorer::AgeUs() const {
    EMBER_ASSERT(is_file_ || parts_.log != nullptr);
    if (!is_file_) return parts_.log->AgeSeconds() * kSecondUs;
    const std::uint64_t now_us = file_.unix_s * kSecondUs;
    return now_us - std::min(now_us, clock_us_);
}

/// The next frame of the buffer becomes the one at hand, judged again: reading the log twice need
/// not give the same octets.
bool SaRestorer::OpenFrame() {
    EMBER_ASSERT(entries_.empty());
    const Result<SaFrame> frame = ReadFrame(unread_);
    if (!frame.ok()) return false;
    entries_ = frame.value().entries;
    at_ += frame.value().bytes();
    unread_ = unread_.subspan(frame.value().bytes());
    return true;
}

void SaRestorer::ObeySome(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kObeying);
    for (int left = kEntriesAtOnce; left > 0; --left) {
        if (!entries_.empty()) {
            applier_.Apply(TakeEntry(entries_).value(), now_us);
            continue;
        }
        if (at_ >= outcome_.bytes) {
            state_ = State::kJudging;
            return;
        }
        if (OpenFrame()) continue;
        unread_ = buffer_.first(Fill());  // The frame cut by the end of the buffer is read again.
        if (OpenFrame()) continue;
        StatusOfSource() = Status::kDevice;
        state_ = State::kJudging;
        return;
    }
}

/// Registrations of ports that are gone are dropped.
void SaRestorer::Judge(std::uint64_t now_us) {
    EMBER_ASSERT(state_ == State::kJudging);
    const auto is_gone = [this](Guid guid) { return parts_.fabric.FindPort(guid) == kNoPortIndex; };
    const SaTables& tables = parts_.tables;
    outcome_.gone +=
        tables.groups.Drop([&](const Member& member) { return is_gone(member.owner); }, now_us);
    const std::size_t aliases = tables.aliases.count();
    tables.aliases.Drop(is_gone);
    outcome_.gone += aliases - tables.aliases.count();
    outcome_.expired +=
        tables.services.Drop([&](const Services::Row& row) { return row.ends_us <= now_us; });
    outcome_.gone +=
        tables.services.Drop([&](const Services::Row& row) { return is_gone(row.owner); });
    outcome_.gone +=
        tables.subscriptions.Drop([&](const Subscription& row) { return is_gone(row.subscriber); });
    outcome_.groups = tables.groups.group_count();
    outcome_.members = tables.groups.member_count();
    outcome_.aliases = tables.aliases.count();
    outcome_.services = tables.services.count();
    outcome_.subscriptions = tables.subscriptions.count();
    outcome_.unusable = applier_.unusable();
    outcome_.moved = applier_.moved();
    state_ = State::kDone;
}

}  // namespace ember
