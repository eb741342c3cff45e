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

#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "platform/linux/configuration/reload.h"
#include "platform/linux/control/control_client.h"
#include "platform/linux/control/dump_stream.h"
#include "platform/linux/dump/dump_job.h"
#include "platform/linux/dump/sweep_dumps.h"
#include "platform/linux/log/log_output.h"
#include "platform/linux/views/status_json.h"

namespace ember {

/// Serves emberctl: a line with a command in, a line with a JSON object out.
///
///   status                   how the subnet is
///   sweep heavy | light      sweep as soon as possible
///   handover GUID            offer the subnet to a standby; see Role::OfferTo()
///   sm-priority N            0 to 15, until the configuration is read again
///   log-level LEVELS         error, warning, info, debug; and others: info,link=debug
///   memory                   who takes how much static memory
///   metrics [openmetrics]    the same numbers for Prometheus, no JSON: ends in "# EOF"
///   explain QUESTION         see config/explain/explain.h
///   reload                   read the configuration again; the old one stays if it is refused
///   dump                     OpenSM's dump files, octet by octet; see DumpStream
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
        const LogOutput* log = nullptr;  ///< Writes the log out; nullptr: there is no output.
        Reloader* reloader = nullptr;    ///< Null: settings stay as they are.
        const MailboxStatistics* mailbox = nullptr;  ///< When the management port is one.
        SweepDumps* sweep_dumps = nullptr;           ///< By the same job.
    };

    explicit ControlServer(const Parts& parts) : parts_(parts), stream_(parts.dump) {}
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;
    ~ControlServer() { Close(); }

    /// Listens. Empty: it worked; else one sentence. A socket file without a listener
    /// is replaced; the directory is made when only its last part is missing.
    [[nodiscard]] std::string Open(const std::string& path);
    /// Hangs up and takes the socket's file away. Harmless when nothing is open.
    void Close();

    /// Fills in what to wait for, and returns how many. `now_us`, here and below: of LinuxClock.
    [[nodiscard]] std::size_t Describe(std::span<pollfd> descriptors, std::uint64_t now_us) const;
    /// All places are taken, or somebody takes his time over a dump: what is to be waited for, or
    /// done, changes with time alone, so look again within kIdleUs.
    [[nodiscard]] bool watches_time() const { return crowded() || parts_.dump.waits(); }
    [[nodiscard]] bool crowded() const;
    /// Deals with what has arrived. Does nothing that could wait.
    void Serve(std::uint64_t now_us);
    /// There is work on a dump: call Advance() again after the next step, without waiting.
    [[nodiscard]] bool busy() const { return parts_.dump.running() && !parts_.dump.waits(); }
    /// Dump files of the sweep that has ended are still to be written.
    [[nodiscard]] bool owes_dumps() const {
        return parts_.sweep_dumps != nullptr && parts_.sweep_dumps->owes();
    }
    /// A dump looks into the tables of the configuration.
    [[nodiscard]] bool reads_tables() const { return parts_.dump.running(); }
    /// To be called after every step.
    void Advance(std::uint64_t now_us);
    /// Ends a dump, whosever it is: the configuration is about to change.
    void FreeTables();

    /// As the line `reload`, without an answer: the log tells how it went.
    void Reload();

private:
    void Accept(std::uint64_t now_us);
    [[nodiscard]] bool IsIdle(const ControlClient& client, std::uint64_t now_us) const;
    [[nodiscard]] ControlClient* PlaceFor(std::uint64_t now_us);
    void ServeOne(ControlClient& client, std::uint64_t now_us);
    bool ObeyLine(ControlClient& client, std::uint64_t now_us);
    void Obey(ControlClient& client, std::string_view line, std::uint64_t now_us);
    void ObeySweep(ControlClient& client, std::string_view kind);
    void ObeyHandover(ControlClient& client, std::string_view line);
    void ObeyPriority(ControlClient& client, std::string_view priority);
    void ObeyLogLevel(ControlClient& client, std::string_view text);
    void ObeyReload(ControlClient& client);
    void ObeyDump(ControlClient& client, std::string_view rest);
    void ObeyExplain(ControlClient& client, std::string_view question);
    void AnswerMetrics(ControlClient& client, const StatusView& view, std::string_view format);
    [[nodiscard]] StatusView ViewAt(std::uint64_t now_us) const;

    Parts parts_;
    int listener_ = -1;
    sockaddr_un address_{};
    std::uint64_t started_us_ = 0;
    std::array<ControlClient, kMaxClients> clients_{};
    DumpStream stream_;
};

}  // namespace ember
