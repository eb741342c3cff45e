// SPDX-License-Identifier: Apache-2.0
// EmberSM: one who asks at the control socket.

#include "platform/linux/control/control_client.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "core/base/assert.h"

namespace ember {

void ControlClient::Take(int fd, std::uint64_t now_us) {
    if (connected()) Drop();
    fd_ = fd;
    active_us_ = now_us;
}

void ControlClient::Drop() {
    close(std::exchange(fd_, -1));
    heard_ = sent_ = answer_bytes_ = 0;
}

void ControlClient::Hear(std::uint64_t now_us) {
    const std::size_t left = line_.size() - heard_;
    if (left == 0) return;  // More lines than we take at once; they are being obeyed.
    const ssize_t got = recv(fd_, line_.data() + heard_, left, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return Drop();
    heard_ += static_cast<std::size_t>(got);
    active_us_ = now_us;
}

ControlClient::Heard ControlClient::TakeLine(std::span<char, kLineBytes> room,
                                             std::string_view& line) {
    const std::string_view heard(line_.data(), heard_);
    const std::size_t end = heard.find('\n');
    if (end == std::string_view::npos) {
        if (heard_ < line_.size()) return Heard::kNothing;
        heard_ = 0;
        return Heard::kTooMuch;
    }
    std::memcpy(room.data(), line_.data(), end);
    line = std::string_view(room.data(), end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    heard_ -= end + 1;
    std::memmove(line_.data(), line_.data() + end + 1, heard_);
    return Heard::kLine;
}

void ControlClient::Send(std::size_t bytes) {
    EMBER_ASSERT(bytes <= answer_.size() && !has_answer());
    answer_bytes_ = bytes;
    sent_ = 0;
    SendOn();
}

void ControlClient::Answer(const JsonWriter& json) {
    if (json.full()) return AnswerTooLong();
    const std::size_t size = json.text().size();
    answer_[size] = '\n';
    Send(size + 1);
}

void ControlClient::AnswerError(std::string_view sentence) {
    JsonWriter json = Json();
    json.Open().Add("ok", false).Add("error", sentence).Close();
    Answer(json);
}

void ControlClient::AnswerTooLong() {
    AnswerError("the answer is longer than the room for it, as the names of nodes are");
}

void ControlClient::SendRest(std::uint64_t now_us) {
    if (SendOn()) active_us_ = now_us;
}

/// Whether something went out.
bool ControlClient::SendOn() {
    const ssize_t sent = send(fd_, answer_.data() + sent_, answer_bytes_ - sent_, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) Drop();
    if (sent <= 0) return false;
    sent_ += static_cast<std::size_t>(sent);
    return true;
}

}  // namespace ember
