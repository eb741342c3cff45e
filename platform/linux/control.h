// SPDX-License-Identifier: Apache-2.0
// EmberSM: a local socket by which an operator asks and tells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/un.h>

#include "core/storage.h"
#include "core/subnet_manager.h"
#include "platform/linux/dump/dump_job.h"
#include "platform/linux/dump/registration_dump.h"
#include "platform/linux/json_writer.h"
#include "platform/linux/log_output.h"
#include "platform/linux/metrics.h"
#include "platform/linux/reload.h"
#include "platform/linux/status_json.h"

namespace ember {

/// Serves emberctl: a line with a command in, a line with a JSON object out.
///
///   status                   how the subnet is
///   sweep heavy | light      sweep as soon as possible
///   log-level LEVEL          error, warning, info, debug
///   memory                   who takes how much static memory
///   metrics [openmetrics]    the same numbers for Prometheus, no JSON: ends in "# EOF"
///   reload                   read the configuration again; the old one stays if it is refused
///   dump DIRECTORY           OpenSM's dump files; the answer comes when they are written
///
/// Every answer has "ok"; when false, "error" is a sentence. The socket belongs to the user who
/// runs the subnet manager (mode 0600), so who may connect may ask. Nothing waits for a client, and
/// long work is done in slices by Advance(). A client that has neither asked nor taken an answer
/// for kIdleUs gives up its place when somebody else wants it.
class ControlServer {
public:
    static constexpr std::size_t kMaxClients = 4;
    static constexpr std::size_t kMaxDescriptors = kMaxClients + 1;
    static constexpr std::uint64_t kIdleUs = 1'000'000;

    struct Parts {
        SubnetManager& sm;
        std::span<const MemoryRow> memory;
        const ConfigurationReport& configuration;
        DumpJob& dump;
        const LogOutput* log = nullptr;  ///< Whoever reads the journal, if somebody does.
        Reloader* reloader = nullptr;    ///< Null: settings stay as they are.
        const MailboxStatistics* mailbox = nullptr;  ///< When the management port is one.
        RegistrationDump* registrations = nullptr;   ///< What sa_db_dump wants, by the same job.
    };

    explicit ControlServer(const Parts& parts) : parts_(parts) {}
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;
    ~ControlServer() { Close(); }

    /// Listens. Empty: it worked; else one sentence. A socket file that nobody listens at any more
    /// is replaced; the directory is made when only its last part is missing.
    [[nodiscard]] std::string Open(const std::string& path);
    /// Hangs up and takes the socket's file away. Harmless when nothing is open.
    void Close();

    /// What to wait for. Returns how many were filled in. `now_us`, here and below: of LinuxClock.
    [[nodiscard]] std::size_t Describe(std::span<pollfd> descriptors, std::uint64_t now_us) const;
    /// All places are taken: what is to be waited for changes with time alone, so look again within
    /// kIdleUs.
    [[nodiscard]] bool crowded() const;
    /// Deals with what has arrived. Does nothing that could wait.
    void Serve(std::uint64_t now_us);
    /// A dump is under way: call Advance() between steps.
    [[nodiscard]] bool busy() const { return parts_.dump.running(); }
    void Advance();

    /// As the line `reload`, without an answer: the journal tells how it went.
    void Reload();

private:
    static constexpr std::size_t kLineBytes = 1024;
    static constexpr std::size_t kAnswerBytes = kMaxMetricsBytes;

    struct Client {
        int fd = -1;
        bool waits_for_dump = false;
        std::uint64_t active_us = 0;  ///< When something last went in or out.
        std::size_t heard = 0;        ///< Octets of `line`.
        std::size_t told = 0;         ///< Octets of `answer` already sent, of `answer_bytes`.
        std::size_t answer_bytes = 0;
        std::array<char, kLineBytes> line{};
        std::array<char, kAnswerBytes> answer{};
    };

    void Accept(std::uint64_t now_us);
    [[nodiscard]] static bool IsIdle(const Client& client, std::uint64_t now_us);
    [[nodiscard]] Client* PlaceFor(std::uint64_t now_us);
    static void Hear(Client& client, std::uint64_t now_us);
    bool ObeyLine(Client& client, std::uint64_t now_us);
    void Obey(Client& client, std::string_view line, std::uint64_t now_us);
    void ObeySweep(Client& client, std::string_view kind);
    void ObeyLogLevel(Client& client, std::string_view level);
    void ObeyReload(Client& client);
    void ObeyDump(Client& client, std::string_view directory);
    void MakeWay();
    void AnswerDump(Client& client, DumpEnd how);
    void AnswerError(Client& client, std::string_view sentence);
    void AnswerMetrics(Client& client, const StatusView& view, std::string_view format);
    [[nodiscard]] StatusView ViewAt(std::uint64_t now_us) const;
    void Answer(Client& client, const JsonWriter& json);
    static void Send(Client& client, std::size_t bytes);
    static void Tell(Client& client);
    static void Drop(Client& client);

    Parts parts_;
    int listener_ = -1;
    sockaddr_un address_{};
    std::uint64_t started_us_ = 0;
    std::array<Client, kMaxClients> clients_{};
};

}  // namespace ember
