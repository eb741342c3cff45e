// SPDX-License-Identifier: Apache-2.0
// EmberSM: the life of the process around one subnet manager.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "platform/linux/control/control.h"
#include "platform/linux/dump/dump_job.h"
#include "platform/linux/dump/sweep_dumps.h"
#include "platform/linux/embersm/options.h"
#include "platform/linux/log/log_output.h"
#include "platform/linux/process/exit_status.h"
#include "platform/linux/process/heartbeat.h"
#include "platform/linux/process/main_loop.h"
#include "platform/linux/process/supervisor.h"
#include "platform/linux/process/watchdog.h"
#include "platform/linux/system/signals.h"
#include "platform/linux/views/status_json.h"

namespace ember {

/// Log, control socket, main loop and summary of one subnet manager. As large as its buffers, so it
/// is static.
class Program {
public:
    struct Parts {
        SubnetManager& sm;
        const Clock& clock;  ///< The subnet manager's.
        Waiting& waiting;
        const Signals& signals;
        Guid own_port;  ///< Where it sits, for the log.
        std::span<const MemoryRow> memory;
        const ConfigurationReport& configuration;
        Reloader& reloader;
        DumpJob::Room dump_room;
        std::span<const std::string_view> engine_names;
        Supervision supervision{};                   ///< From the supervisor, if there is one.
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
    void PrintSummary(bool is_brief);

    /// Last words, and the exit status for how the loop ended. A configuration that the subnet came
    /// up with is confirmed, if that was all that was wanted.
    [[nodiscard]] ExitStatus Finish(LoopEnd end);

private:
    [[nodiscard]] ExitStatus StatusFor(LoopEnd end) const;
    [[nodiscard]] ExitStatus OpenWatchdog(const Options& options);
    void HandOver(bool for_good);
    void NoteStart(const Options& options);

    Parts parts_;
    LogOutput log_;
    DumpJob dump_;
    SweepDumps sweep_dumps_;
    ControlServer control_;
    Heartbeat heartbeat_;
    Watchdog watchdog_;  ///< Unless a supervisor has it.
    std::array<char, 8192> summary_{};
};

}  // namespace ember
