// SPDX-License-Identifier: Apache-2.0
// EmberSM: one who asks at the control socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/log/json_writer.h"
#include "platform/linux/views/metrics.h"

namespace ember {

/// A connection with room for the lines that came and for one answer. Nothing here waits: what
/// cannot be sent at once is sent on by SendRest().
class ControlClient {
public:
    static constexpr std::size_t kLineBytes = 1024;
    static constexpr std::size_t kAnswerBytes = kMaxMetricsBytes;

    ControlClient() = default;
    ControlClient(const ControlClient&) = delete;
    ControlClient& operator=(const ControlClient&) = delete;

    /// From now on this is who sits at `fd`, a socket that does not block. `now_us`, here and
    /// below: of LinuxClock.
    void Take(int fd, std::uint64_t now_us);
    void Drop();

    [[nodiscard]] bool connected() const { return fd_ >= 0; }
    [[nodiscard]] int descriptor() const { return fd_; }
    /// There is something left to be sent.
    [[nodiscard]] bool has_answer() const { return sent_ < answer_bytes_; }
    /// When something last went in or out.
    [[nodiscard]] std::uint64_t active_us() const { return active_us_; }
    void SetActive(std::uint64_t now_us) { active_us_ = now_us; }

    /// Takes what has arrived. Hangs up when the other end has.
    void Hear(std::uint64_t now_us);
    enum class Heard : std::uint8_t { kNothing, kLine, kTooMuch };
    /// Moves the first complete line, without its end, into `room`. kTooMuch: what came had no end,
    /// and is forgotten.
    [[nodiscard]] Heard TakeLine(std::span<char, kLineBytes> room, std::string_view& line);

    /// Where an answer is put together; has_answer() ends before.
    [[nodiscard]] std::span<char> room() { return answer_; }
    /// As much of it as Answer() takes.
    [[nodiscard]] JsonWriter Json() { return JsonWriter(room().first(kAnswerBytes - 1)); }
    /// Sends the first so many octets of room(). Hangs up when that fails.
    void Send(std::size_t bytes);
    /// As a line; what Json() has written, or AnswerTooLong() if that had no room.
    void Answer(const JsonWriter& json);
    void AnswerError(std::string_view sentence);
    /// In the place of an answer without room for it: names of nodes come from the fabric, and an
    /// answer at its worst has many, each twice as long in JSON.
    void AnswerTooLong();
    /// Sends on.
    void SendRest(std::uint64_t now_us);

private:
    bool SendOn();

    int fd_ = -1;
    std::uint64_t active_us_ = 0;
    std::size_t heard_ = 0;
    std::size_t sent_ = 0;  ///< Octets of `answer_` already sent, of `answer_bytes_`.
    std::size_t answer_bytes_ = 0;
    std::array<char, kLineBytes> line_{};
    std::array<char, kAnswerBytes> answer_{};
};

}  // namespace ember
