// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the log to a place where somebody reads it.

#include "platform/linux/log/log_output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/assert.h"
#include "platform/linux/system/clock.h"

namespace ember {

namespace {

/// Room for the time, in front, and for the word of a program and its number.
constexpr std::size_t kHeadBytes = 64;

int OpenForAppending(const char* path) {
    // A pipe that is not read takes no lines, and keeps nothing waiting.
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0640);
}

int PriorityOf(Severity severity) {
    switch (severity) {
        case Severity::kDebug:
            return LOG_DAEMON | LOG_DEBUG;
        case Severity::kInfo:
            return LOG_DAEMON | LOG_INFO;
        case Severity::kWarning:
            return LOG_DAEMON | LOG_WARNING;
        case Severity::kError:
            return LOG_DAEMON | LOG_ERR;
    }
    return LOG_DAEMON | LOG_ERR;
}

}  // namespace

void AddWallTime(FixedText& text, std::uint64_t wall_us) {
    // Days to year, month and day in whole numbers: gmtime() may read the time zone files.
    // The year begins in March here, so that the leap day is its last (Hinnant's civil_from_days).
    const std::uint64_t seconds = wall_us / 1000000U;
    const std::uint64_t shifted = seconds / 86400U + 719468U;  // Days since 0000-03-01.
    const std::uint64_t era = shifted / 146097U;
    const std::uint64_t day_of_era = shifted % 146097U;
    const std::uint64_t year_of_era =
        (day_of_era - day_of_era / 1460U + day_of_era / 36524U - day_of_era / 146096U) / 365U;
    const std::uint64_t day_of_year =
        day_of_era - (365U * year_of_era + year_of_era / 4U - year_of_era / 100U);
    const std::uint64_t march_month = (5U * day_of_year + 2U) / 153U;
    const std::uint64_t day = day_of_year - (153U * march_month + 2U) / 5U + 1U;
    const std::uint64_t month = march_month < 10 ? march_month + 3U : march_month - 9U;
    const std::uint64_t year = year_of_era + era * 400U + (month <= 2 ? 1U : 0U);
    text.AddNumber(year, 4).Add('-').AddNumber(month, 2).Add('-').AddNumber(day, 2).Add('T');
    text.AddNumber(seconds / 3600U % 24U, 2).Add(':').AddNumber(seconds / 60U % 60U, 2).Add(':');
    text.AddNumber(seconds % 60U, 2).Add('.').AddNumber(wall_us % 1000000U, 6).Add('Z');
}

LogOutput::~LogOutput() {
    if (kind_ == Kind::kFile) close(fd_);
    if (syslog_fd_ >= 0) close(syslog_fd_);
}

std::string LogOutput::ToFile(const std::string& path) {
    if (path.size() >= path_.size()) return "the name of the log file is too long";
    const int fd = OpenForAppending(path.c_str());
    if (fd < 0) return "cannot open the log file " + path + ": " + std::strerror(errno);
    std::memcpy(path_.data(), path.c_str(), path.size() + 1);
    fd_ = fd;
    kind_ = Kind::kFile;
    return {};
}

std::string LogOutput::ToSyslog(std::string_view program, std::string_view socket) {
    // The C library's syslog() may allocate; the protocol is one datagram a line.
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.size() >= sizeof(address.sun_path)) return "the name of the system log is too long";
    std::memcpy(&address.sun_path[0], socket.data(), socket.size());
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const void* const generic = &address;
    if (fd < 0 || connect(fd, static_cast<const sockaddr*>(generic), sizeof(address)) < 0) {
        const int error = errno;
        if (fd >= 0) close(fd);
        return "cannot reach the system log at " + std::string(socket) + ": " +
               std::strerror(error);
    }
    const std::size_t length = std::min(program.size(), program_.size() - 1);
    std::memcpy(program_.data(), program.data(), length);
    syslog_fd_ = fd;
    if (kind_ == Kind::kStandardError) kind_ = Kind::kNone;
    return {};
}

void LogOutput::SetPrefix(std::string_view prefix) {
    EMBER_ASSERT(prefix.size() <= LineHead::kMostPrefixOctets);
    prefix_.clear();
    prefix_.Add(prefix);
}

Status LogOutput::Reopen() {
    if (kind_ != Kind::kFile) return Status::kOk;
    const int fd = OpenForAppending(path_.data());
    if (fd < 0) return Status::kDevice;
    close(fd_);
    fd_ = fd;
    return Status::kOk;
}

bool LogOutput::ReaderIsReady() const {
    if (kind_ != Kind::kStandardError) return true;  // Files do not wait; syslog is not waited for.
    pollfd ask{fd_, POLLOUT, 0};
    return poll(&ask, 1, 0) == 1 && (ask.revents & POLLOUT) != 0;
}

std::size_t LogOutput::MostBytes() const {
    return kHeadBytes + (format_ == LogFormat::kJson ? kMaxJsonLine : kMaxTextLine);
}

bool LogOutput::MakeRoom() {
    if (lines_.left() >= MostBytes()) return true;
    WriteOut();
    return ReaderIsReady();
}

void LogOutput::AddLine(const LogRecord& record, std::uint64_t wall_us) {
    std::array<char, kHeadBytes> time_room{};
    FixedText time(time_room);
    if (time_ == LogTime::kWall) {
        AddWallTime(time, wall_us);
    } else {
        time.AddNumber(record.time_us / 1000000U).Add('.').AddNumber(record.time_us % 1000000U, 6);
    }
    if (syslog_fd_ >= 0) SendToSyslog(record, time.text());
    if (kind_ == Kind::kNone) return;
    if (format_ == LogFormat::kJson) {
        AddJsonLine(lines_, {time.text(), prefix_.text()}, record, vocabulary_);
    } else {
        lines_.Add(time.text()).Add(' ');
        AddTextLine(lines_, prefix_.text(), record, vocabulary_);
    }
    lines_.Add('\n');
}

void LogOutput::Drain(const Log& log, std::uint64_t now_us, std::size_t lines) {
    if (cursor_ == log.next_sequence() || !ReaderIsReady()) return;
    const std::uint64_t wall_us = WallTimeUs();
    LogRecord record;
    for (std::size_t i = 0; i < lines; ++i) {
        if (!MakeRoom()) return;
        if (log.Read(cursor_, record, missed_) != Status::kOk) break;
        const std::uint64_t ago_us = now_us > record.time_us ? now_us - record.time_us : 0;
        if (missed_ != missed_written_) {
            AddLine({record.time_us, {missed_ - missed_written_}, Note::kNotesMissed},
                    wall_us - ago_us);
            missed_written_ = missed_;
            if (!MakeRoom()) {
                --cursor_;  // The record is read again when somebody reads the lines.
                return;
            }
        }
        AddLine(record, wall_us - ago_us);
    }
    WriteOut();
}

void LogOutput::DrainAll(const Log& log, std::uint64_t now_us) {
    std::uint64_t before = ~std::uint64_t{0};
    while (cursor_ != before) {  // Ends: nothing is written meanwhile, so the cursor rests.
        before = cursor_;
        Drain(log, now_us);
    }
}

void LogOutput::WriteOut() {
    if (lines_.size() == 0) return;
    // A disk that is full loses lines; the subnet is more important than its log.
    if (write(fd_, lines_.text().data(), lines_.size()) < 0) ++missed_;
    lines_.clear();
}

void LogOutput::SendToSyslog(const LogRecord& record, std::string_view time) const {
    std::array<char, kHeadBytes + kMaxJsonLine> room{};
    FixedText datagram(room);
    // RFC 3164 as the local socket takes it: the log daemon adds the time itself.
    const Severity severity = SentenceOf(record.note).severity;
    datagram.Add('<').AddNumber(static_cast<unsigned>(PriorityOf(severity))).Add('>');
    datagram.Add(program_.data()).Add('[').AddNumber(static_cast<unsigned>(getpid())).Add("]: ");
    if (format_ == LogFormat::kJson) {
        AddJsonLine(datagram, {time, prefix_.text()}, record, vocabulary_);
    } else {
        AddTextLine(datagram, prefix_.text(), record, vocabulary_);
    }
    // Not waited for: a log daemon that is stuck loses lines.
    send(syslog_fd_, datagram.text().data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace ember
