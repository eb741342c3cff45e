// SPDX-License-Identifier: Apache-2.0
// EmberSM: a local socket by which an operator asks and tells.

#include "platform/linux/control/control.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/explain/explain.h"
#include "config/explain/resolver.h"
#include "config/explain/words.h"
#include "core/log/render.h"
#include "platform/linux/system/clock.h"

namespace ember {

namespace {

/// Work on a dump between two steps: short beside what a step may take.
constexpr std::uint64_t kDumpSliceUs = 1500;

/// The answer to the operator for each Role::Offer; empty where the offer is made.
constexpr std::array<std::string_view, 7> kRefusedOffers = {
    "",
    "this subnet manager is not master, or has not swept yet",
    "an election or a handover is under way; ask again",
    "no standby with that GUID takes part",
    "standby_consistency is strict, and that standby is configured otherwise or has not told yet",
    "another subnet manager ranks above that standby and would be handed the subnet by it",
    "that standby has priority 0 and the higher GUID, so it would hand back: give it a higher one "
    "first, with emberctl sm-priority on its machine"};

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

}  // namespace

void ControlServer::Close() {
    for (ControlClient& client : clients_) {
        if (client.connected()) client.Drop();
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

/// The patience with a dump's client is DumpStream's business.
bool ControlServer::IsIdle(const ControlClient& client, std::uint64_t now_us) const {
    return !stream_.IsFor(client) && now_us >= client.active_us() + kIdleUs;
}

bool ControlServer::crowded() const {
    return std::all_of(clients_.begin(), clients_.end(),
                       [](const ControlClient& client) { return client.connected(); });
}

std::size_t ControlServer::Describe(std::span<pollfd> descriptors, std::uint64_t now_us) const {
    std::size_t count = 0;
    bool has_room = false;
    for (const ControlClient& client : clients_) {
        has_room = has_room || !client.connected() || IsIdle(client, now_us);
        if (!client.connected()) continue;
        const short wanted = client.has_answer() ? POLLOUT : POLLIN;
        descriptors[count++] = {client.descriptor(), wanted, 0};
    }
    // A client that comes when all places are taken, and used, waits in the listener's queue.
    if (listener_ >= 0 && has_room) descriptors[count++] = {listener_, POLLIN, 0};
    return count;
}

void ControlServer::Serve(std::uint64_t now_us) {
    if (listener_ < 0) return;
    Accept(now_us);
    for (ControlClient& client : clients_) {
        if (client.connected()) ServeOne(client, now_us);
    }
    static_cast<void>(stream_.Tend(now_us));  // Before a place may become another's.
}

void ControlServer::ServeOne(ControlClient& client, std::uint64_t now_us) {
    if (client.has_answer()) client.SendRest(now_us);
    if (client.connected() && !client.has_answer()) client.Hear(now_us);
    // Ends: every line obeyed is taken off what was heard.
    while (client.connected() && !client.has_answer() && ObeyLine(client, now_us)) {
    }
}

/// A free place, or else that of the client which has been idle longest; nullptr: none is.
ControlClient* ControlServer::PlaceFor(std::uint64_t now_us) {
    ControlClient* place = nullptr;
    for (ControlClient& client : clients_) {
        if (!client.connected()) return &client;
        if (!IsIdle(client, now_us)) continue;
        if (place == nullptr || client.active_us() < place->active_us()) place = &client;
    }
    return place;
}

void ControlServer::Accept(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kMaxClients; ++i) {
        ControlClient* const place = PlaceFor(now_us);
        if (place == nullptr) return;
        const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        place->Take(fd, now_us);
    }
}

bool ControlServer::ObeyLine(ControlClient& client, std::uint64_t now_us) {
    if (stream_.IsFor(client)) return false;
    std::array<char, ControlClient::kLineBytes> room;
    std::string_view line;
    switch (client.TakeLine(room, line)) {
        case ControlClient::Heard::kNothing:
            return false;
        case ControlClient::Heard::kTooMuch:
            client.AnswerError("the line is too long");
            return true;
        case ControlClient::Heard::kLine:
            Obey(client, line, now_us);
            return true;
    }
    return false;
}

void ControlServer::Obey(ControlClient& client, std::string_view line, std::uint64_t now_us) {
    std::string_view rest;
    const std::string_view command = WordBefore(line, rest);
    if (command == "sweep") return ObeySweep(client, rest);
    if (command == "handover") return ObeyHandover(client, rest);
    if (command == "sm-priority") return ObeyPriority(client, rest);
    if (command == "log-level") return ObeyLogLevel(client, rest);
    if (command == "dump") return ObeyDump(client, rest);
    if (command == "reload") return ObeyReload(client);
    if (command == "explain") return ObeyExplain(client, rest);
    const StatusView view = ViewAt(now_us);
    if (command == "metrics") return AnswerMetrics(client, view, rest);
    if (command != "status" && command != "memory") {
        return client.AnswerError(
            "unknown command; there are status, sweep heavy|light, log-level LEVELS, "
            "memory, metrics, explain QUESTION, reload, handover GUID, sm-priority N and dump");
    }
    JsonWriter json = client.Json();
    json.Open().Add("ok", true);
    if (command == "status") {
        AddStatus(json, view);
    } else {
        AddMemory(json, view);
    }
    json.Close();
    client.Answer(json);
}

void ControlServer::ObeySweep(ControlClient& client, std::string_view kind) {
    const bool heavy = kind == "heavy";
    if (!heavy && kind != "light") return client.AnswerError("sweep wants heavy or light");
    parts_.sm.RequestSweep(heavy ? SweepCue::kHeavyRequest : SweepCue::kLightRequest);
    JsonWriter json = client.Json();
    json.Open().Add("ok", true).Add("sweep", kind).Close();
    client.Answer(json);
}

void ControlServer::ObeyHandover(ControlClient& client, std::string_view line) {
    std::array<char, 768> room{};
    FixedText why(room);
    explain::Words words(line);
    std::string_view word;
    std::string_view more;
    if (!words.Next(word) || words.Next(more)) {
        return client.AnswerError("handover wants the port of a standby: a name, a GUID or a LID");
    }
    const Fabric& fabric = parts_.sm.fabric();
    const PortIndex port = explain::PortByWord(fabric, parts_.sm.names(), word, why);
    std::uint64_t number = port != kNoPortIndex ? Raw(fabric.port(port).guid) : 0;
    // A standby may be known before its port is, and a GUID may stand without 0x.
    const bool is_guid = number != 0 || (explain::ReadHex(word, number) && number != 0);
    if (!is_guid) return client.AnswerError(why.text());
    const auto offer = static_cast<std::size_t>(parts_.sm.OfferTo(Guid{number}));
    if (!kRefusedOffers[offer].empty()) return client.AnswerError(kRefusedOffers[offer]);
    JsonWriter json = client.Json();
    json.Open().Add("ok", true).AddGuid("handover", number);
    json.Add("priority", parts_.sm.role().priority()).Close();
    client.Answer(json);
}

void ControlServer::ObeyPriority(ControlClient& client, std::string_view priority) {
    std::uint64_t number = 0;
    if (!explain::ReadNumber(priority, 15, number)) {
        return client.AnswerError("sm-priority wants a number from 0 to 15");
    }
    parts_.sm.SetPriority(static_cast<std::uint8_t>(number));
    JsonWriter json = client.Json();
    json.Open().Add("ok", true).Add("sm_priority", number).Close();
    client.Answer(json);
}

void ControlServer::ObeyLogLevel(ControlClient& client, std::string_view text) {
    const Result<LogLevels> parsed = LogLevelsOf(text);
    if (!parsed.ok())
        return client.AnswerError(
            "log-level wants error, warning, info or debug, and others by the front of "
            "a code: info,link=debug (emberctl events lists the codes)");
    const LogLevels& levels = parsed.value();
    Log& log = parts_.sm.log();
    log.SetMinimum(Severity::kInfo);  // Told whatever it was.
    log.Write<Note::kLogLevelChanged>(parts_.sm.now_us(), levels.minimum(), levels.exceptions());
    log.SetLevels(levels);
    JsonWriter json = client.Json();
    json.Open().Add("ok", true).Add("log_level", text).Close();
    client.Answer(json);
}

void ControlServer::FreeTables() {
    if (parts_.sweep_dumps != nullptr) parts_.sweep_dumps->GiveWay();
    stream_.GiveWay();
}

void ControlServer::Reload() {
    FreeTables();
    std::array<char, 384> room{};
    FixedText why(room);
    if (parts_.reloader != nullptr) static_cast<void>(parts_.reloader->Reload(why));
}

void ControlServer::ObeyReload(ControlClient& client) {
    if (parts_.reloader == nullptr) return client.AnswerError("settings cannot be changed here");
    FreeTables();
    std::array<char, 384> room{};
    FixedText why(room);
    if (!parts_.reloader->Reload(why)) return client.AnswerError(why.text());
    JsonWriter json = client.Json();
    json.Open().Add("ok", true).Add("reload", "accepted");
    json.Add("counter", parts_.configuration.outcome.supplied.counter);
    AddRestartKeys(json, parts_.configuration);
    json.Close();
    client.Answer(json);
}

void ControlServer::ObeyExplain(ControlClient& client, std::string_view question) {
    if (!parts_.sm.administration().serves()) {
        return client.AnswerError(
            "this subnet manager serves no subnet: it is not master, or not yet");
    }
    std::array<char, 768> room{};
    FixedText why(room);
    JsonWriter json = client.Json();
    json.Open().Add("ok", true);
    const explain::Scene scene{parts_.sm.explainer(), parts_.sm.names()};
    if (!explain::Answer(question, scene, json, why)) return client.AnswerError(why.text());
    json.Close();
    client.Answer(json);
}

void ControlServer::ObeyDump(ControlClient& client, std::string_view rest) {
    if (!rest.empty()) return client.AnswerError("dump wants nothing: its files are the answer");
    if (stream_.running()) {
        return client.AnswerError("another dump is under way; ask again when it has ended");
    }
    // A client goes first: the dump after sweeps is made again after the next one.
    if (parts_.sweep_dumps != nullptr) parts_.sweep_dumps->GiveWay();
    stream_.Start(parts_.sm, client);
}

void ControlServer::Advance(std::uint64_t now_us) {
    if (parts_.sweep_dumps != nullptr) parts_.sweep_dumps->Consider();
    if (parts_.dump.running()) {
        const DumpEnd how = parts_.dump.Advance(parts_.sm, kDumpSliceUs);
        const bool is_other = how != DumpEnd::kRunning && parts_.sweep_dumps != nullptr &&
                              parts_.sweep_dumps->Took(how);
        if (how != DumpEnd::kRunning && !is_other) stream_.Took(how);
    }
    if (stream_.Tend(now_us)) Serve(now_us);  // Its client may have said more meanwhile.
}

StatusView ControlServer::ViewAt(std::uint64_t now_us) const {
    return {.sm = parts_.sm,
            .configuration = parts_.configuration,
            .memory = parts_.memory,
            .uptime_us = now_us - started_us_,
            .notes_lost = parts_.log == nullptr ? 0 : parts_.log->missed(),
            .mailbox = parts_.mailbox};
}

void ControlServer::AnswerMetrics(ControlClient& client, const StatusView& view,
                                  std::string_view format) {
    const bool is_open = format == "openmetrics";
    if (!is_open && !format.empty()) {
        return client.AnswerError("metrics wants openmetrics or nothing");
    }
    FixedText page(client.room());
    AddMetrics(page, view, is_open ? MetricsFormat::kOpenMetrics : MetricsFormat::kClassic);
    if (page.full()) return client.AnswerTooLong();
    client.Send(page.size());
}

}  // namespace ember
