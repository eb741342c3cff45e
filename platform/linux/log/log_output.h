// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the log to a place where somebody reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/log/fixed_text.h"
#include "core/log/log.h"
#include "core/log/render.h"
#include "platform/linux/log/log_line.h"

namespace ember {

/// How a line's time is told.
enum class LogTime : std::uint8_t {
    kWall,        ///< UTC, as 2026-03-01T12:34:56.123456Z.
    kSinceStart,  ///< Seconds of the log's clock, for a fabric in virtual time.
};

/// Renders notes and writes them to standard error or a file, and to the system log.
///
/// Drain() formats and writes without heap and never waits for a slow reader: what standard error
/// does not take now stays in the log's ring, and what is overwritten there meanwhile is
/// reported as a number.
class LogOutput {
public:
    explicit LogOutput(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}
    LogOutput(const LogOutput&) = delete;
    LogOutput& operator=(const LogOutput&) = delete;
    ~LogOutput();

    /// Standard error is the default; these replace it, and may be had both. Empty: it worked; else
    /// one sentence.
    [[nodiscard]] std::string ToFile(const std::string& path);
    [[nodiscard]] std::string ToSyslog(std::string_view program,
                                       std::string_view socket = "/dev/log");
    /// Text in front of every line, of LineHead::kMostPrefixOctets at most.
    void SetPrefix(std::string_view prefix);
    void SetTime(LogTime time) { time_ = time; }
    void SetFormat(LogFormat format) { format_ = format; }

    /// Opens the log file again under its name, after it was renamed away. kDevice: the old one
    /// stays in use.
    Status Reopen();

    /// Writes out what is new, at most `lines` of it. `now_us` is the log's clock.
    void Drain(const Log& log, std::uint64_t now_us, std::size_t lines = 64);
    /// As Drain(), until nothing is new or the reader takes no more: before the process ends.
    void DrainAll(const Log& log, std::uint64_t now_us);

    [[nodiscard]] std::uint64_t missed() const { return missed_; }
    /// Of the log file, or -1: for last words.
    [[nodiscard]] int descriptor() const { return kind_ == Kind::kFile ? fd_ : -1; }

private:
    enum class Kind : std::uint8_t { kStandardError, kFile, kNone };
    static constexpr std::size_t kBufferBytes = 4096;  // PIPE_BUF: a pipe takes it whole or not.
    static constexpr std::size_t kPathBytes = 512;

    [[nodiscard]] bool ReaderIsReady() const;
    /// The most that a line takes.
    [[nodiscard]] std::size_t MostBytes() const;
    /// Room for one more line. False: what there was is written out, and the reader takes no more.
    [[nodiscard]] bool MakeRoom();
    void AddLine(const LogRecord& record, std::uint64_t wall_us);
    void WriteOut();
    void SendToSyslog(const LogRecord& record, std::string_view time) const;

    Vocabulary vocabulary_;
    Kind kind_ = Kind::kStandardError;
    LogTime time_ = LogTime::kWall;
    LogFormat format_ = LogFormat::kText;
    int fd_ = 2;          ///< Standard error or the file.
    int syslog_fd_ = -1;  ///< -1: the system log gets nothing.
    std::uint64_t cursor_ = 0;
    std::uint64_t missed_ = 0;
    std::uint64_t missed_written_ = 0;
    std::array<char, kPathBytes> path_{};
    std::array<char, 32> program_{};
    std::array<char, LineHead::kMostPrefixOctets> prefix_room_{};
    FixedText prefix_{prefix_room_};
    std::array<char, kBufferBytes> buffer_{};
    FixedText lines_{buffer_};
};

/// Appends UTC in ISO 8601 with microseconds.
void AddWallTime(FixedText& text, std::uint64_t wall_us);

}  // namespace ember
