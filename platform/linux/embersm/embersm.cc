// SPDX-License-Identifier: Apache-2.0
// EmberSM: the program embersm, from its command line to its end.

#include "platform/linux/embersm/embersm.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "config/blob/message_codes.h"
#include "core/base/version.h"
#include "core/log/fixed_text.h"
#include "core/manager/subnet_manager.h"
#include "core/settings/settings.h"
#include "platform/common/late.h"
#include "platform/common/summary.h"
#include "platform/linux/configuration/configure.h"
#include "platform/linux/configuration/reload.h"
#include "platform/linux/embersm/await_device.h"
#include "platform/linux/embersm/options.h"
#include "platform/linux/embersm/program.h"
#include "platform/linux/embersm/seats.h"
#include "platform/linux/embersm/state_stores.h"
#include "platform/linux/embersm/wanted_port.h"
#include "platform/linux/process/exit_status.h"
#include "platform/linux/process/supervisor.h"
#include "platform/linux/process/watchdog.h"
#include "platform/linux/system/clock.h"
#include "platform/linux/system/signals.h"
#include "platform/umad/simulator.h"

namespace ember {

namespace {

constexpr std::uint64_t kUsInSecond = 1'000'000;

ExitStatus Print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return ExitStatus::kWell;
}

ExitStatus PrintMemory(std::span<const MemoryRow> rows) {
    std::array<char, 4096> room{};
    FixedText text(room);
    AddMemory(text, rows);
    return Print(text.text());
}

/// A subnet manager and everything around it.
class Embersm {
public:
    Embersm(const BoardRoom& board, std::span<RoutingEngine* const> engines, Seat* own)
        : board_(board), engines_(engines), own_(own), stores_(board_) {}
    Embersm(const Embersm&) = delete;
    Embersm& operator=(const Embersm&) = delete;

    [[nodiscard]] ExitStatus Run(std::span<const char* const> arguments);

private:
    [[nodiscard]] bool Supervise(ExitStatus& over);
    [[nodiscard]] ExitStatus Begin();
    [[nodiscard]] ExitStatus LiveAt(Seat& seat);
    [[nodiscard]] ExitStatus RefusePort(std::string_view sentence);
    [[nodiscard]] const BandwidthCodec* FindCodec() const;
    [[nodiscard]] ExitStatus TakeConfiguration();
    [[nodiscard]] ExitStatus Compose(const Outside& outside);
    [[nodiscard]] ExitStatus Live(const Outside& outside);

    BoardRoom board_;
    std::span<RoutingEngine* const> engines_;
    Seat* own_;
    Options options_;
    StateStores stores_;
    PortWish port_wish_;
    Late<UmadSeat> umad_;
    Late<MailboxSeat> mailbox_;
    Late<SimSeat> simulation_;
    Settings settings_;
    ConfigurationReport configuration_;
    std::vector<std::string_view> engine_names_;
    Late<SubnetManager> subnet_manager_;
    Late<Reloader> reloader_;
    Late<Program> program_;
    LinuxCalendar calendar_;
    HashedCodes codes_;
    ThreadCpuClock cpu_clock_;
    Signals signals_;
    Supervision supervision_;
    Watchdog watchdog_;  ///< The supervisor's.
};

/// How the devices of the fabric take limits of bandwidth; nullptr: they do not, or the board has
/// no memory for it.
const BandwidthCodec* Embersm::FindCodec() const {
    if (board_.limits.bandwidth_tables == 0) return nullptr;
    if (options_.fabric == Options::Fabric::kSimulated) return SimSeat::SimCodec();
    return own_ == nullptr ? nullptr : own_->codec();
}

ExitStatus Embersm::TakeConfiguration() {
    const std::string wrong = Configure({options_.blob, options_.public_key}, stores_.waited(),
                                        board_.configuration, settings_, configuration_);
    return wrong.empty() ? ExitStatus::kWell : Complain(ExitStatus::kFile, wrong);
}

/// There are ports, and none is the one wanted. If the configuration names it, it was tried with
/// that: a start that counts against one on trial.
ExitStatus Embersm::RefusePort(std::string_view sentence) {
    if (!port_wish_.is_of_key) return Complain(ExitStatus::kDevice, sentence);
    std::array<char, 640> room{};  // A longer text ends there.
    FixedText text(room);
    text.Add(sentence).Add("; the key guid of the configuration names the one that is wanted");
    const ExitStatus taken = TakeConfiguration();
    return taken == ExitStatus::kWell ? Complain(ExitStatus::kDevice, text.text()) : taken;
}

/// The stores, the configuration, and the subnet manager with both.
ExitStatus Embersm::Compose(const Outside& outside) {
    ExitStatus ready = stores_.Start(options_);
    if (ready == ExitStatus::kWell) ready = TakeConfiguration();
    if (ready != ExitStatus::kWell) return ready;

    for (const RoutingEngine* const engine : engines_) {
        engine_names_.push_back(engine->name());
    }
    SubnetManager& sm = subnet_manager_.Make(
        board_.make_tables(), board_.limits,
        SubnetManager::Platform{outside.port, outside.clock, cpu_clock_, stores_.store(),
                                outside.entropy, stores_.registrations(), &calendar_,
                                outside.own_port, FindCodec(), &codes_},
        settings_, engines_);
    if (outside.mailbox != nullptr) outside.mailbox->ReportTo(sm.log());
    Reloader& reloader = reloader_.Make(Reloader::Parts{
        sm, outside.clock, stores_.waited(), board_.configuration, board_.other_tables,
        configuration_, options_.trial_s * kUsInSecond, stores_.verdicts()});
    reloader.Remember({options_.blob, options_.public_key});
    Program& program = program_.Make(Program::Parts{
        sm, outside.clock, outside.waiting, signals_, outside.own_port, board_.memory,
        configuration_, reloader, board_.dumps, engine_names_, supervision_,
        outside.mailbox != nullptr ? &outside.mailbox->statistics() : nullptr});
    return program.Open(options_);
}

ExitStatus Embersm::Live(const Outside& outside) {
    const ExitStatus composed = Compose(outside);
    if (composed != ExitStatus::kWell) return composed;
    Program& life = program_.Get();
    const bool shows_summary = options_.once || outside.simulated != nullptr;
    LoopEnd end = life.Run(options_, shows_summary);
    if (shows_summary) life.PrintSummary(options_.brief);
    const bool goes_on = end == LoopEnd::kUp || end == LoopEnd::kNotUp;
    if (goes_on && !options_.once && outside.simulated != nullptr) {
        outside.simulated->KeepPace();
        end = life.Run(options_, false);
    }
    stores_.FinishStore();
    const ExitStatus status = life.Finish(end);
    stores_.FinishJournal();  // With its last words.
    return status;
}

ExitStatus Embersm::LiveAt(Seat& seat) {
    const SeatTaking taking =
        TakeWhenThere(seat, {options_, port_wish_.guid, signals_, supervision_});
    if (!taking.absent.empty()) return RefusePort(taking.absent);
    if (taking.status != ExitStatus::kWell || taking.is_ended) return taking.status;
    const ExitStatus status = Live(seat.outside());
    seat.Leave();
    return status;
}

/// The parent stays here when the command line asks for a supervisor. False: it is over.
bool Embersm::Supervise(ExitStatus& over) {
    if (!options_.supervise) return true;
    if (!options_.watchdog.empty()) {
        const std::string refused =
            watchdog_.Open(options_.watchdog, options_.watchdog_s, options_.hang_s);
        if (!refused.empty()) {
            over = Complain(ExitStatus::kFile, refused);
            return false;
        }
    }
    int status = 0;
    if (ember::Supervise(options_.hang_s * kUsInSecond, watchdog_, supervision_, status)) {
        return true;
    }
    over = static_cast<ExitStatus>(status);
    return false;
}

/// Everything that comes before the port.
ExitStatus Embersm::Begin() {
    if (signals_.Open() != Status::kOk) {
        return Complain(ExitStatus::kFile, "the kernel gives no descriptor for signals");
    }
    const ExitStatus opened = stores_.Open(options_);
    if (opened != ExitStatus::kWell) return opened;
    const bool takes_bandwidth = FindCodec() != nullptr;
    board_.configuration.tables.takes_bandwidth = takes_bandwidth;
    board_.other_tables.takes_bandwidth = takes_bandwidth;
    const std::string unread =
        FindPortWish(options_, stores_.waited(), board_.configuration, settings_, port_wish_);
    return unread.empty() ? ExitStatus::kWell : Complain(ExitStatus::kFile, unread);
}

ExitStatus Embersm::Run(std::span<const char* const> arguments) {
    const std::string wrong = ParseOptions(arguments, options_);
    if (!wrong.empty()) return Complain(ExitStatus::kUsage, wrong);
    switch (options_.run) {
        case Options::Run::kHelp:
            return Print(OptionsHelp());
        case Options::Run::kVersion:
            return Print("embersm " + std::string(kEmberVersion) + "\n");
        case Options::Run::kMemory:
            return PrintMemory(board_.memory);
        case Options::Run::kNormal:
            break;
    }
    if (options_.fabric == Options::Fabric::kUmad && own_ == nullptr) {
        const std::string absent = ExplainAbsentSimulator();
        if (!absent.empty()) return Complain(ExitStatus::kDevice, absent);
    }
    ExitStatus over = ExitStatus::kWell;
    if (!Supervise(over)) return over;
    const ExitStatus begun = Begin();
    if (begun != ExitStatus::kWell) return begun;
    if (options_.fabric == Options::Fabric::kSimulated) return LiveAt(simulation_.Make());
    if (own_ != nullptr) return LiveAt(*own_);
    if (options_.fabric == Options::Fabric::kUmad) return LiveAt(umad_.Make());
    return LiveAt(mailbox_.Make());
}

/// Static, for it is as large as the buffers of Program, and never unmade: the process ends.
Late<Embersm> embersm;

}  // namespace

int RunEmbersm(std::span<const char* const> arguments, const BoardRoom& board,
               std::span<RoutingEngine* const> engines, Seat* own) {
    return static_cast<int>(embersm.Make(board, engines, own).Run(arguments));
}

}  // namespace ember
