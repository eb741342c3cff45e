// SPDX-License-Identifier: Apache-2.0
// EmberSM: the life of the process around one subnet manager.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/storage.h"
#include "core/subnet_manager.h"
#include "platform/common/headline.h"
#include "platform/linux/control.h"
#include "platform/linux/dump/dump_job.h"
#include "platform/linux/dump/registration_dump.h"
#include "platform/linux/heartbeat.h"
#include "platform/linux/log_output.h"
#include "platform/linux/main_loop.h"
#include "platform/linux/options.h"
#include "platform/linux/signals.h"
#include "platform/linux/status_json.h"
#include "platform/linux/supervisor.h"
#include "platform/linux/watchdog.h"

namespace ember {

/// What the process ends with; --help tells the same.
enum class ExitStatus : int {
    kWell = 0,
    kNotUp = 1,
    kUsage = 2,
    kDevice = 3,
    kPermission = 4,
    kOccupied = 5,
    kFile = 6,
    // Only with --once, when the subnet is up and yet not as it should be; the first that holds.
    kTooLarge = 7,      ///< For a part of the fabric: the board is too small for it.
    kTablesKept = 9,    ///< With the tables that the switches had, as no engine could route.
    kSafeRouting = 10,  ///< By the safe routing, as no engine could route.
    kCreditLoop = 8,    ///< With routes that may deadlock.
};

/// What --once ends with when the subnet manager has come to rest so.
[[nodiscard]] ExitStatus StatusFor(Condition condition);

/// Says one sentence on standard error, after the program's name, and hands the status back.
ExitStatus Complain(ExitStatus status, std::string_view sentence);

/// For --help, --version and --memory: prints on standard output.
ExitStatus Print(std::string_view text);
ExitStatus PrintVersion();
ExitStatus PrintMemory(std::span<const MemoryRow> rows);

/// Log, control socket, main loop and summary of one subnet manager. As large as its buffers, so it
/// is static.
class Program {
public:
    struct Parts {
        SubnetManager& sm;
        const Clock& clock;  ///< That of the subnet manager.
        Waiting& waiting;
        const Signals& signals;
        Guid own_port;  ///< Where it sits, for the log.
        std::span<const MemoryRow> memory;
        const ConfigurationReport& configuration;
        Reloader& reloader;
        DumpJob::Room dump_room;
        std::span<const std::string_view> engine_names;
        Supervision supervision{};                   ///< What the supervisor says, if there is one.
        const MailboxStatistics* mailbox = nullptr;  ///< When the management port is one.
    };

    explicit Program(const Parts& parts);
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Opens the log and the control socket. kWell, or the complaint has been made.
    [[nodiscard]] ExitStatus Open(const Options& options);

    /// Runs until the end that `options` ask for, or, with `until_up`, until the first SUBNET UP.
    /// The heap trap is armed meanwhile if it shall be.
    [[nodiscard]] LoopEnd Run(const Options& options, bool until_up);

    /// Prints the summary on standard output.
    void PrintSummary();

    /// Last words, and the exit status for how the loop ended. A configuration that the subnet came
    /// up with is confirmed, if that was all that was wanted.
    [[nodiscard]] ExitStatus Finish(LoopEnd end);

private:
    [[nodiscard]] ExitStatus StatusFor(LoopEnd end) const;
    [[nodiscard]] ExitStatus OpenWatchdog(const Options& options);
    void HandOver(bool for_good);
    void NoteStart();

    Parts parts_;
    LogOutput log_;
    DumpJob dump_;
    RegistrationDump registration_dump_;
    ControlServer control_;
    Heartbeat heartbeat_;
    Watchdog watchdog_;  ///< Unless a supervisor has it.
    std::array<char, 8192> summary_{};
};

}  // namespace ember
