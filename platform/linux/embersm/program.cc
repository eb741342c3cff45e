// SPDX-License-Identifier: Apache-2.0
// EmberSM: the life of the process around one subnet manager.

#include "platform/linux/embersm/program.h"

#include <cstdio>
#include <ctime>
#include <string>
#include <unistd.h>

#include "platform/common/headline.h"
#include "platform/common/summary.h"
#include "platform/linux/control/default_socket.h"
#include "platform/linux/embersm/start_notes.h"
#include "platform/linux/system/clock.h"
#include "platform/linux/system/heap_trap.h"
#include "platform/linux/system/panic.h"

namespace ember {

namespace {

#ifdef NDEBUG
constexpr bool kAlwaysTrapHeap = false;
#else
constexpr bool kAlwaysTrapHeap = true;
#endif

/// How long an orderly end waits for the journal of registrations, and for a standby.
constexpr std::uint64_t kHandOverUs = 2'000'000;

}  // namespace

Program::Program(const Parts& parts)
    : parts_(parts),
      log_(Vocabulary{parts.engine_names, &parts.sm.names()}),
      dump_(parts.dump_room),
      sweep_dumps_(parts.sm, dump_),
      control_(ControlServer::Parts{parts.sm, parts.memory, parts.configuration, dump_, &log_,
                                    &parts.reloader, parts.mailbox, &sweep_dumps_}) {}

ExitStatus Program::Open(const Options& options) {
    std::string wrong;
    if (!options.log_file.empty()) wrong = log_.ToFile(options.log_file);
    if (options.syslog && wrong.empty()) wrong = log_.ToSyslog("embersm");
    log_.SetPrefix(options.log_prefix);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
    wrong = sweep_dumps_.Open(options.dump_directory);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
    const bool simulated = options.fabric == Options::Fabric::kSimulated;
    if (simulated) log_.SetTime(LogTime::kSinceStart);
    log_.SetFormat(options.log_format);
    parts_.sm.log().SetLevels(options.log);
    SetPanicDescriptor(log_.descriptor());

    std::string socket = options.socket;
    if (socket.empty() && !simulated && !options.once) socket = kDefaultSocket;
    if (!socket.empty() && !options.no_socket) wrong = control_.Open(socket);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
    wrong = heartbeat_.Open(parts_.supervision.heartbeat, parts_.supervision.beat_every_us);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
    const ExitStatus watched = OpenWatchdog(options);
    if (watched != ExitStatus::kWell) return watched;
    NoteStart(options);
    return ExitStatus::kWell;
}

/// Last of all: from now on a program that does not come to its main loop is a reset.
ExitStatus Program::OpenWatchdog(const Options& options) {
    if (options.watchdog.empty() || options.supervise) return ExitStatus::kWell;
    const std::string wrong = watchdog_.Open(options.watchdog, options.watchdog_s);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
    heartbeat_.Feed(watchdog_);
    return ExitStatus::kWell;
}

void Program::NoteStart(const Options& options) {
    Log& log = parts_.sm.log();
    const std::uint64_t now_us = parts_.clock.NowUs();
    NoteSeat(log, parts_.own_port, parts_.memory, now_us);
    NoteRestart(log, parts_.supervision, now_us);
    const ConfigurationOutcome& outcome = parts_.configuration.outcome;
    if (!parts_.configuration.given || outcome.source == ConfigurationSource::kUnchanged) {
        const bool tries = options.once && options.brief;  // Its summary is all that is wanted.
        if (tries && !parts_.configuration.given) return;
        Complain(ExitStatus::kWell,
                 "WARNING: no configuration is given: running with the built-in defaults");
        return;
    }
    NoteConfiguration(log, parts_.configuration, now_us);
    parts_.reloader.BeginTrial();
}

LoopEnd Program::Run(const Options& options, bool until_up) {
    if ((options.trap_heap || kAlwaysTrapHeap) && !ArmHeapTrap() && options.trap_heap) {
        Complain(ExitStatus::kWell, "WARNING: this build cannot trap the heap");
    }
    MainLoop loop{parts_.sm, parts_.clock, parts_.waiting,   parts_.signals, log_,
                  control_,  until_up,     &parts_.reloader, &heartbeat_};
    const LoopEnd end = loop.Run();
    DisarmHeapTrap();
    return end;
}

void Program::PrintSummary(bool is_brief) {
    log_.DrainAll(parts_.sm.log(), parts_.clock.NowUs());
    FixedText text(summary_);
    if (is_brief) {
        AddBriefSummary(text, parts_.sm);
    } else {
        AddSummary(text, parts_.sm, parts_.memory);
    }
    std::fwrite(text.text().data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

/// Saves what clients registered, ends a copy that is under way, and, `for_good`, hands the subnet
/// to a standby. A disk that is slower than our patience keeps what it had before.
void Program::HandOver(bool for_good) {
    const LinuxClock host;
    if (for_good) parts_.sm.Leave();
    const std::uint64_t until_us = host.NowUs() + kHandOverUs;
    const timespec pause{0, 1'000'000};
    while (parts_.sm.HandOver() && host.NowUs() < until_us) {  // Ends with our patience.
        heartbeat_.Beat(host.NowUs());
        nanosleep(&pause, nullptr);
    }
}

ExitStatus Program::Finish(LoopEnd end) {
    HandOver(end == LoopEnd::kAsked);
    const std::uint64_t now_us = parts_.clock.NowUs();
    heartbeat_.SayStopping();
    parts_.reloader.EndInOrder(end == LoopEnd::kUp);
    parts_.sm.Stop();
    log_.DrainAll(parts_.sm.log(), now_us);
    control_.Close();
    // A port that is gone may come back with a reset.
    if (end != LoopEnd::kDevice) watchdog_.Disarm();
    return StatusFor(end);
}

ExitStatus Program::StatusFor(LoopEnd end) const {
    if (end == LoopEnd::kAsked) return ExitStatus::kWell;
    if (end == LoopEnd::kDevice) {
        return Complain(ExitStatus::kDevice, "the management port is gone");
    }
    const ExitStatus status = ember::StatusFor(ConditionOf(parts_.sm));
    if (status == ExitStatus::kNotUp) {
        return Complain(status, "the subnet did not come up; the log tells why");
    }
    std::array<char, 256> room{};
    FixedText headline(room);
    AddHeadline(headline, parts_.sm);
    const bool is_plain = ConditionOf(parts_.sm) == Condition::kUp;
    return is_plain ? status : Complain(status, headline.text());
}

}  // namespace ember
