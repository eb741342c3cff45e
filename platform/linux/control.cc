// SPDX-License-Identifier: Apache-2.0
// EmberSM: a local socket by which an operator asks and tells.

#include "platform/linux/control.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/log/render.h"
#include "platform/linux/clock.h"

namespace ember {

namespace {

/// Work on a dump between two steps: short beside what a step may take.
constexpr std::uint64_t kDumpSliceUs = 1500;

const sockaddr* Generic(const sockaddr_un& address) {
    const void* const generic = &address;
    return static_cast<const sockaddr*>(generic);
}

bool SomebodyListens(const sockaddr_un& address) {
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool yes = probe >= 0 && connect(probe, Generic(address), sizeof(address)) == 0;
    if (probe >= 0) close(probe);
    return yes;
}

std::string_view WordBefore(std::string_view line, std::string_view& rest) {
    const std::size_t space = line.find(' ');
    rest = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    return line.substr(0, space);
}

std::string_view Explain(DumpEnd how) {
    switch (how) {
        case DumpEnd::kRunning:
        case DumpEnd::kWritten:
            break;
        case DumpEnd::kNotUp:
            return "the subnet was never up, so there is nothing to dump";
        case DumpEnd::kNotResting:
            return "a sweep is under way; ask again when it has ended";
        case DumpEnd::kMoved:
            return "the subnet changed while it was dumped; ask again";
        case DumpEnd::kUnwritable:
            return "the directory cannot be written to";
    }
    return "";
}

}  // namespace

void ControlServer::Close() {
    for (Client& client : clients_) {
        if (client.fd >= 0) Drop(client);
    }
    if (listener_ < 0) return;
    close(listener_);
    listener_ = -1;
    unlink(address_.sun_path);
}

std::string ControlServer::Open(const std::string& path) {
    address_.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address_.sun_path)) {
        return "the path of the control socket is too long: " + path;
    }
    std::memcpy(address_.sun_path, path.c_str(), path.size() + 1);
    const auto trouble = [&](const char* what) {
        std::string sentence =
            std::string(what) + " the control socket " + path + ": " + std::strerror(errno);
        if (listener_ >= 0) close(listener_);
        listener_ = -1;
        return sentence;
    };
    const std::size_t slash = path.rfind('/');
    if (slash != std::string::npos && slash > 0) {
        mkdir(path.substr(0, slash).c_str(), 0755);  // When it fails, bind() will tell.
    }
    if (SomebodyListens(address_)) return "another embersm serves " + path + " already";
    unlink(address_.sun_path);  // Left by one that was killed.
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener_ < 0) return trouble("cannot make");
    const mode_t before = umask(0177);
    const int bound = bind(listener_, Generic(address_), sizeof(address_));
    umask(before);
    if (bound < 0) return trouble("cannot make");
    if (listen(listener_, kMaxClients) < 0) return trouble("cannot listen at");
    started_us_ = LinuxClock().NowUs();
    return {};
}

/// A dump that is waited for takes its time, and that is not the client's fault.
bool ControlServer::IsIdle(const Client& client, std::uint64_t now_us) {
    return !client.waits_for_dump && now_us >= client.active_us + kIdleUs;
}

bool ControlServer::crowded() const {
    return std::all_of(clients_.begin(), clients_.end(),
                       [](const Client& client) { return client.fd >= 0; });
}

std::size_t ControlServer::Describe(std::span<pollfd> descriptors, std::uint64_t now_us) const {
    std::size_t count = 0;
    bool has_room = false;
    for (const Client& client : clients_) {
        has_room = has_room || client.fd < 0 || IsIdle(client, now_us);
        if (client.fd < 0) continue;
        const bool has_answer = client.told < client.answer_bytes;
        const short wanted = has_answer ? POLLOUT : POLLIN;
        descriptors[count++] = {client.fd, wanted, 0};
    }
    // Who comes when all places are taken, and used, waits in the listener's queue.
    if (listener_ >= 0 && has_room) descriptors[count++] = {listener_, POLLIN, 0};
    return count;
}

void ControlServer::Serve(std::uint64_t now_us) {
    if (listener_ < 0) return;
    Accept(now_us);
    for (Client& client : clients_) {
        if (client.fd < 0) continue;
        const std::size_t told = client.told;
        if (told < client.answer_bytes) Tell(client);
        if (client.told != told) client.active_us = now_us;
        if (client.fd >= 0 && client.told == client.answer_bytes) Hear(client, now_us);
        // Ends: every line obeyed makes `heard` smaller.
        while (client.fd >= 0 && client.told == client.answer_bytes && ObeyLine(client, now_us)) {
        }
    }
}

/// A free place, or else that of the client which has been idle longest; nullptr: none is.
ControlServer::Client* ControlServer::PlaceFor(std::uint64_t now_us) {
    Client* place = nullptr;
    for (Client& client : clients_) {
        if (client.fd < 0) return &client;
        if (!IsIdle(client, now_us)) continue;
        if (place == nullptr || client.active_us < place->active_us) place = &client;
    }
    return place;
}

void ControlServer::Accept(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kMaxClients; ++i) {
        Client* const place = PlaceFor(now_us);
        if (place == nullptr) return;
        const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        if (place->fd >= 0) Drop(*place);
        place->fd = fd;
        place->active_us = now_us;
    }
}

void ControlServer::Hear(Client& client, std::uint64_t now_us) {
    const std::size_t room = client.line.size() - client.heard;
    if (room == 0) return;  // More lines than we take at once; they are being obeyed.
    const ssize_t got = recv(client.fd, client.line.data() + client.heard, room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        Drop(client);
        return;
    }
    client.heard += static_cast<std::size_t>(got);
    client.active_us = now_us;
}

bool ControlServer::ObeyLine(Client& client, std::uint64_t now_us) {
    if (client.waits_for_dump) return false;
    const std::string_view heard(client.line.data(), client.heard);
    const std::size_t end = heard.find('\n');
    if (end == std::string_view::npos) {
        if (client.heard < client.line.size()) return false;
        client.heard = 0;
        AnswerError(client, "the line is too long");
        return true;
    }
    std::string_view line = heard.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    Obey(client, line, now_us);
    if (client.fd < 0) return false;
    client.heard -= end + 1;
    std::memmove(client.line.data(), client.line.data() + end + 1, client.heard);
    return true;
}

void ControlServer::Obey(Client& client, std::string_view line, std::uint64_t now_us) {
    std::string_view rest;
    const std::string_view command = WordBefore(line, rest);
    if (command == "sweep") return ObeySweep(client, rest);
    if (command == "log-level") return ObeyLogLevel(client, rest);
    if (command == "dump") return ObeyDump(client, rest);
    if (command == "reload") return ObeyReload(client);
    const StatusView view = ViewAt(now_us);
    if (command == "metrics") return AnswerMetrics(client, view, rest);
    if (command != "status" && command != "memory") {
        return AnswerError(client,
                           "unknown command; there are status, sweep heavy|light, log-level LEVEL, "
                           "memory, metrics, reload and dump DIRECTORY");
    }
    JsonWriter json(std::span(client.answer).first(kAnswerBytes - 1));
    json.Open().Add("ok", true);
    if (command == "status") {
        AddStatus(json, view);
    } else {
        AddMemory(json, view);
    }
    json.Close();
    Answer(client, json);
}

void ControlServer::ObeySweep(Client& client, std::string_view kind) {
    const bool heavy = kind == "heavy";
    if (!heavy && kind != "light") return AnswerError(client, "sweep wants heavy or light");
    parts_.sm.RequestSweep(heavy, SweepReason::kRequest);
    JsonWriter json(std::span(client.answer).first(kAnswerBytes - 1));
    json.Open().Add("ok", true).Add("sweep", kind).Close();
    Answer(client, json);
}

void ControlServer::ObeyLogLevel(Client& client, std::string_view level) {
    const Result<Severity> severity = SeverityOf(level);
    if (!severity.ok()) return AnswerError(client, "log-level wants error, warning, info or debug");
    parts_.sm.journal().SetMinimum(severity.value());
    JsonWriter json(std::span(client.answer).first(kAnswerBytes - 1));
    json.Open().Add("ok", true).Add("log_level", level).Close();
    Answer(client, json);
}

/// Who asks goes first: what nobody waits for is done again after the next sweep.
void ControlServer::MakeWay() {
    if (parts_.registrations != nullptr) parts_.registrations->GiveWay();
}

void ControlServer::Reload() {
    MakeWay();
    std::array<char, 384> room{};
    FixedText why(room);
    if (parts_.reloader != nullptr) static_cast<void>(parts_.reloader->Reload(busy(), why));
}

void ControlServer::ObeyReload(Client& client) {
    if (parts_.reloader == nullptr) return AnswerError(client, "settings cannot be changed here");
    MakeWay();
    std::array<char, 384> room{};
    FixedText why(room);
    if (!parts_.reloader->Reload(busy(), why)) return AnswerError(client, why.text());
    JsonWriter json(std::span(client.answer).first(kAnswerBytes - 1));
    json.Open().Add("ok", true).Add("reload", "accepted");
    json.Add("counter", parts_.configuration.outcome.supplied.counter).Close();
    Answer(client, json);
}

void ControlServer::ObeyDump(Client& client, std::string_view directory) {
    if (directory.empty()) return AnswerError(client, "dump wants a directory");
    MakeWay();
    if (busy())
        return AnswerError(client, "another dump is under way; ask again when it has ended");
    std::array<char, kLineBytes> path{};
    std::memcpy(path.data(), directory.data(), directory.size());  // A line is longer than it.
    const DumpEnd how = parts_.dump.Begin(parts_.sm, path.data());
    if (how != DumpEnd::kRunning) return AnswerDump(client, how);
    client.waits_for_dump = true;
}

void ControlServer::Advance() {
    if (parts_.registrations != nullptr) parts_.registrations->Consider();
    if (!busy()) return;
    const DumpEnd how = parts_.dump.Advance(parts_.sm, kDumpSliceUs);
    if (how == DumpEnd::kRunning) return;
    if (parts_.registrations != nullptr && parts_.registrations->Took(how)) return;
    for (Client& client : clients_) {
        if (client.fd >= 0 && client.waits_for_dump) AnswerDump(client, how);
    }
}

void ControlServer::AnswerDump(Client& client, DumpEnd how) {
    client.waits_for_dump = false;
    client.active_us = LinuxClock().NowUs();
    if (how != DumpEnd::kWritten) {
        std::array<char, 256> room{};
        FixedText sentence(room);
        sentence.Add(Explain(how));
        if (how == DumpEnd::kUnwritable) {
            sentence.Add(": ").Add(strerrordesc_np(parts_.dump.error()));
        }
        return AnswerError(client, sentence.text());
    }
    JsonWriter json(std::span(client.answer).first(kAnswerBytes - 1));
    json.Open().Add("ok", true).Add("bytes", parts_.dump.written_bytes()).OpenList("files");
    for (const DumpFile& file : kDumpFiles) {
        if (parts_.dump.Has(file)) json.Add("", file.name);
    }
    json.CloseList().Close();
    Answer(client, json);
}

void ControlServer::AnswerError(Client& client, std::string_view sentence) {
    JsonWriter json(std::span(client.answer).first(kAnswerBytes - 1));
    json.Open().Add("ok", false).Add("error", sentence).Close();
    Answer(client, json);
}

StatusView ControlServer::ViewAt(std::uint64_t now_us) const {
    return {.sm = parts_.sm,
            .configuration = parts_.configuration,
            .memory = parts_.memory,
            .uptime_us = now_us - started_us_,
            .notes_lost = parts_.log == nullptr ? 0 : parts_.log->missed(),
            .mailbox = parts_.mailbox};
}

void ControlServer::AnswerMetrics(Client& client, const StatusView& view, std::string_view format) {
    const bool is_open = format == "openmetrics";
    if (!is_open && !format.empty()) {
        return AnswerError(client, "metrics wants openmetrics or nothing");
    }
    FixedText page(client.answer);
    AddMetrics(page, view, is_open ? MetricsFormat::kOpenMetrics : MetricsFormat::kClassic);
    EMBER_ASSERT(!page.full());
    Send(client, page.size());
}

void ControlServer::Answer(Client& client, const JsonWriter& json) {
    EMBER_ASSERT(!json.full());
    const std::size_t size = json.text().size();
    client.answer[size] = '\n';
    Send(client, size + 1);
}

/// What stands in `answer`.
void ControlServer::Send(Client& client, std::size_t bytes) {
    client.answer_bytes = bytes;
    client.told = 0;
    Tell(client);
}

void ControlServer::Tell(Client& client) {
    const char* const rest = client.answer.data() + client.told;
    const ssize_t sent = send(client.fd, rest, client.answer_bytes - client.told, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        Drop(client);
        return;
    }
    if (sent > 0) client.told += static_cast<std::size_t>(sent);
}

void ControlServer::Drop(Client& client) {
    close(client.fd);
    client.fd = -1;
    client.waits_for_dump = false;
    client.heard = client.told = client.answer_bytes = 0;
}

}  // namespace ember
