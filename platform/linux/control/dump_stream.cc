// SPDX-License-Identifier: Apache-2.0
// EmberSM: a dump to who asked for it at the control socket.

#include "platform/linux/control/dump_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "core/base/assert.h"

namespace ember {

namespace {

/// Of a room: for the line before the octets.
constexpr std::size_t kLineBytes = 64;

std::string_view Explain(DumpEnd how) {
    switch (how) {
        case DumpEnd::kRunning:
        case DumpEnd::kWritten:
        case DumpEnd::kUnwritable:  // The client is gone.
            break;
        case DumpEnd::kNotUp:
            return "the subnet was never up, so there is nothing to dump";
        case DumpEnd::kNotResting:
            return "a sweep is under way; ask again when it has ended";
        case DumpEnd::kMoved:
            return "the subnet changed while it was dumped; ask again";
        case DumpEnd::kGaveWay:
            return "the configuration changes, and the dump gave way; ask again";
    }
    return "";
}

}  // namespace

void DumpStream::Start(const SubnetManager& sm, ControlClient& client) {
    EMBER_ASSERT(!running());
    client_ = &client;
    end_ = job_.Begin(sm, *this);
    if (end_ != DumpEnd::kRunning) AnswerEnd();
}

void DumpStream::Took(DumpEnd how) {
    end_ = how;
    bytes_ = job_.written_bytes();  // The job may be another's before the client has been told.
}

void DumpStream::GiveWay() {
    if (!running() || end_ != DumpEnd::kRunning) return;
    job_.GiveUp();
    end_ = DumpEnd::kGaveWay;
}

/// The client has not taken for too long what it was given last.
bool DumpStream::IsTooSlow(std::uint64_t now_us) {
    if (sent_ != seen_ || !client_->has_answer()) since_us_ = now_us;
    seen_ = sent_;
    return now_us >= since_us_ + kPatienceUs;
}

bool DumpStream::Tend(std::uint64_t now_us) {
    if (!running()) return false;
    if (client_->connected() && IsTooSlow(now_us)) client_->Drop();
    if (!client_->connected()) {
        if (end_ == DumpEnd::kRunning) job_.GiveUp();
        client_ = nullptr;
        return true;
    }
    if (end_ == DumpEnd::kRunning || client_->has_answer()) return false;
    client_->SetActive(now_us);  // Until now it was we who took the time.
    AnswerEnd();
    return true;
}

void DumpStream::AnswerEnd() {
    ControlClient& client = *client_;
    client_ = nullptr;
    if (end_ != DumpEnd::kWritten) return client.AnswerError(Explain(end_));
    JsonWriter json = client.Json();
    json.Open().Add("ok", true).Add("bytes", bytes_).Close();
    client.Answer(json);
}

Status DumpStream::Begin(std::string_view name, bool holds_keys) {
    if (!client_->connected()) return Status::kDevice;
    if (client_->has_answer()) return Status::kBusy;
    JsonWriter json = client_->Json();
    json.Open().Add("file", name);
    if (holds_keys) json.Add("holds_keys", true);
    json.Close();
    client_->Answer(json);
    ++sent_;
    return Status::kOk;
}

Status DumpStream::Write(std::string_view& text) {
    while (!text.empty()) {  // Ends: every turn takes some off.
        if (!client_->connected()) return Status::kDevice;
        if (client_->has_answer()) return Status::kBusy;
        const std::span<char> room = client_->room();
        const std::size_t bytes = std::min(text.size(), room.size() - kLineBytes);
        FixedText line(room.first(kLineBytes));
        line.Add("{\"bytes\":").AddNumber(bytes).Add("}\n");
        std::memcpy(room.data() + line.size(), text.data(), bytes);
        client_->Send(line.size() + bytes);
        text.remove_prefix(bytes);
        ++sent_;
    }
    return Status::kOk;
}

}  // namespace ember
