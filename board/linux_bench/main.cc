// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Linux host as a bench, or a switch that runs Linux: composes one subnet manager of the
// chosen board's size and lets it live.

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "board/chosen_board.h"
#include "config/netlist/topologies.h"
#include "core/base/version.h"
#include "core/settings.h"
#include "core/storage.h"
#include "core/subnet_manager.h"
#include "engines/catalogue.h"
#include "platform/common/late.h"
#include "platform/linux/clock.h"
#include "platform/linux/entropy.h"
#include "platform/linux/file_state_log.h"
#include "platform/linux/file_store.h"
#include "platform/linux/files.h"
#include "platform/linux/flash_state.h"
#include "platform/linux/options.h"
#include "platform/linux/program.h"
#include "platform/linux/program_memory.h"
#include "platform/linux/reload.h"
#include "platform/linux/sim_waiting.h"
#include "platform/linux/store_writer.h"
#include "platform/linux/supervisor.h"
#include "platform/linux/wanted_port.h"
#include "platform/linux/watchdog.h"
#include "platform/local/linux/mailbox_waiting.h"
#include "platform/local/linux/shared_mapping.h"
#include "platform/local/linux/uio_mapping.h"
#include "platform/local/mailbox_port.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"
#include "platform/umad/simulator.h"
#include "platform/umad/umad_port.h"

namespace ember {
namespace {

static_assert(kBoard.scratch_bytes >= Router::ScratchBytes(kBoard, LeastEngineScratchBytes(kBoard)),
              "scratch_bytes cannot feed the router: enlarge it");

using Bench = Storage<kBoard>;
using BenchConfiguration = ConfigurationMemory<kBoardBlobBytes>;
constexpr auto kBeside = LinuxMemoryTable(kBoard, kBoardBlobBytes);
/// The core's tables, and what the process has beside them.
constexpr auto kMemoryTable = [] {
    constexpr auto kCore = Bench::table();
    std::array<MemoryRow, kCore.size() + kBeside.size()> rows;
    std::copy(kBeside.begin(), kBeside.end(), std::copy(kCore.begin(), kCore.end(), rows.begin()));
    return rows;
}();
constexpr std::uint64_t kUsInSecond = 1'000'000;
constexpr std::size_t kLargestSlot = std::max(LidMap::StoreBytes(kBoard.max_lid), kBoardBlobBytes);

// Everything that is ever used. What is as large as a table does not stand in a stack frame.
/// The views of all that is in storage: a kilobyte, which a stack frame may not hold.
struct Views {
    explicit Views(Bench& bench) : memory(bench.memory()) {}
    SubnetManager::Memory memory;
};

Late<Options> command_line;
Late<Bench> storage;
Late<Views> views;
Late<SubnetManager> subnet_manager;
Late<Program> program;
Late<Reloader> reloader;
Late<FileStore> file_store;
Late<FlashState> flash_state;
Late<StoreWriter> store_writer;
Late<FileStateLog> state_log;
alignas(64) std::array<std::byte, 2 * kBoard.state_buffer_bytes> state_room;
std::array<std::byte, LidMap::StoreBytes(kBoard.max_lid)> lid_octets;
Late<sim::SimStore> forgetful_store;
Late<sim::FabricSim> fabric_sim;
Late<UmadPort> umad_port;
Late<MailboxPort> mailbox_port;
UioMapping uio_mapping;
SharedMapping shared_mapping;
BenchConfiguration configuration_memory;
ConfigurationReport configuration;
Settings settings;
Engines engines;
std::array<std::string_view, kEngineCatalogue.size()> engine_names;
std::array<NodeIndex, kBoard.max_nodes> node_order;
std::array<SwitchIndex, kBoard.max_switches> switch_order;
alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kBoard)> dump_scratch;
static_assert(std::array{BenchConfiguration::kBlobBytes, BenchConfiguration::kTableBytes,
                         sizeof(node_order) + sizeof(switch_order) + sizeof(dump_scratch),
                         sizeof(state_room), sizeof(lid_octets), sizeof(Program)} ==
                  std::array{kBeside[0].bytes, kBeside[1].bytes, kBeside[2].bytes, kBeside[3].bytes,
                             kBeside[4].bytes, kBeside[5].bytes},
              "LinuxMemoryTable() tells of other memory than there is");
LinuxClock host_clock;
LinuxCalendar calendar;
ThreadCpuClock cpu_clock;
LinuxEntropy host_entropy;
Signals signals;
Supervision supervision;
Watchdog watchdog;  // The supervisor's.

/// What differs between a real port and a simulated fabric.
struct Outside {
    MadPort& port;
    const Clock& clock;
    Entropy& entropy;
    Waiting& waiting;
    Guid own_port;
    SimWaiting* simulated = nullptr;
    MailboxPort* mailbox = nullptr;  ///< Tells the journal what goes wrong.
};

/// Where what shall survive is kept.
struct Kept {
    Store* waited = nullptr;    ///< What is read at the start is waited for.
    Store* store = nullptr;     ///< What is saved in a step is not.
    Store* verdicts = nullptr;  ///< The same, and who reads there reads what is safe.
    StateLog* registrations = nullptr;
};

Kept kept;
PortWish port_wish;

ExitStatus OpenFlash(const Options& options, FlashState& flash) {
    const FlashContents contents{static_cast<std::uint32_t>(lid_octets.size()),
                                 static_cast<std::uint32_t>(kBoardBlobBytes)};
    decltype(options.flash.path) said;
    const auto wrong = flash.Open(options.flash, contents, options.format_flash, said);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
    if (!said.empty()) Complain(ExitStatus::kWell, said);
    return ExitStatus::kWell;
}

/// In flash memory if there is one, or in files, or nowhere.
ExitStatus OpenStore(const Options& options) {
    if (!options.state_dir.empty()) {
        FileStore& files = file_store.Make();
        const auto wrong = files.Open(options.state_dir);
        if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
        kept.waited = &files;
    }
    if (!options.flash.path.empty()) {
        FlashState& flash = flash_state.Make();
        const ExitStatus opened = OpenFlash(options, flash);
        if (opened != ExitStatus::kWell) return opened;
        kept.waited = &flash;
    }
    if (kept.waited != nullptr) return ExitStatus::kWell;
    kept.store = kept.waited = &forgetful_store.Make(kLargestSlot);
    return ExitStatus::kWell;
}

/// What writes to them, once the port is ours; the journal in files, or nowhere.
ExitStatus OpenWriters(const Options& options) {
    if (!options.state_dir.empty()) {
        FileStateLog& log = state_log.Make(state_room);
        const auto unopened = log.Open(options.state_dir);
        if (!unopened.empty()) return Complain(ExitStatus::kFile, unopened);
        kept.registrations = &log;
    }
    if (kept.store != nullptr) return ExitStatus::kWell;
    StoreWriter& writer = store_writer.Make(*kept.waited, lid_octets);
    const auto stuck = writer.Start();
    kept.store = &writer;
    kept.verdicts = &writer.strict();
    return stuck.empty() ? ExitStatus::kWell : Complain(ExitStatus::kFile, stuck);
}

ExitStatus TakeConfiguration(const Options& options) {
    const auto wrong = Configure({options.blob, options.public_key}, *kept.waited,
                                 configuration_memory.room(), settings, configuration);
    return wrong.empty() ? ExitStatus::kWell : Complain(ExitStatus::kFile, wrong);
}

/// There are ports, and none is the one wanted. If the configuration names it, it was tried with
/// that: a start that counts against one on trial.
ExitStatus RefusePort(const Options& options, std::string_view sentence) {
    if (!port_wish.is_of_key) return Complain(ExitStatus::kDevice, sentence);
    std::array<char, 640> room{};  // What is longer ends there.
    FixedText text(room);
    text.Add(sentence).Add("; the key guid of the configuration names the one that is wanted");
    const ExitStatus taken = TakeConfiguration(options);
    return taken == ExitStatus::kWell ? Complain(ExitStatus::kDevice, text.text()) : taken;
}

/// The stores, the configuration, and the subnet manager with both.
ExitStatus Compose(const Options& options, const Outside& outside) {
    ExitStatus ready = OpenWriters(options);
    if (ready == ExitStatus::kWell) ready = TakeConfiguration(options);
    if (ready != ExitStatus::kWell) return ready;

    for (std::size_t i = 0; i < engine_names.size(); ++i) {
        engine_names[i] = engines.All()[i]->name();
    }
    SubnetManager& sm = subnet_manager.Make(
        views.Make(storage.Make()).memory, kBoard,
        SubnetManager::Platform{outside.port, outside.clock, cpu_clock, *kept.store,
                                outside.entropy, kept.registrations, &calendar},
        settings, engines.All());
    if (outside.mailbox != nullptr) outside.mailbox->ReportTo(sm.journal());
    Reloader& made_reloader =
        reloader.Make(Reloader::Parts{sm, outside.clock, *kept.waited, configuration_memory.room(),
                                      configuration_memory.other_tables(), configuration,
                                      options.trial_s * kUsInSecond, kept.verdicts});
    made_reloader.Remember({options.blob, options.public_key});
    Program& made = program.Make(Program::Parts{
        sm, outside.clock, outside.waiting, signals, outside.own_port, kMemoryTable, configuration,
        made_reloader, DumpJob::Room{node_order, switch_order, dump_scratch}, engine_names,
        supervision, outside.mailbox != nullptr ? &outside.mailbox->statistics() : nullptr});
    return made.Open(options);
}

ExitStatus Live(const Options& options, const Outside& outside) {
    const ExitStatus composed = Compose(options, outside);
    if (composed != ExitStatus::kWell) return composed;
    Program& life = program.Get();
    const bool shows_summary = options.once || outside.simulated != nullptr;
    LoopEnd end = life.Run(options, shows_summary);
    if (shows_summary) life.PrintSummary();
    const bool goes_on = end == LoopEnd::kUp || end == LoopEnd::kNotUp;
    if (goes_on && !options.once && outside.simulated != nullptr) {
        outside.simulated->KeepPace();
        end = life.Run(options, false);
    }
    if (kept.verdicts != nullptr) store_writer.Get().Finish();
    const ExitStatus status = life.Finish(end);
    if (!options.state_dir.empty()) state_log.Get().Finish();  // With its last words.
    return status;
}

ExitStatus StatusFor(UmadFault fault) {
    switch (fault) {
        case UmadFault::kNone:
            return ExitStatus::kWell;
        case UmadFault::kNoPermission:
            return ExitStatus::kPermission;
        case UmadFault::kOccupied:
            return ExitStatus::kOccupied;
        case UmadFault::kNoDevice:
        case UmadFault::kNoSuchPort:
        case UmadFault::kBroken:
            break;
    }
    return ExitStatus::kDevice;
}

ExitStatus LiveAtPort(const Options& options) {
    UmadPort& port = umad_port.Make();
    const UmadOpening opening = port.Open({options.ca, options.port, port_wish.guid});
    if (opening.fault == UmadFault::kNoSuchPort) return RefusePort(options, opening.sentence);
    if (opening.fault != UmadFault::kNone) {
        return Complain(StatusFor(opening.fault), opening.sentence);
    }
    if (!opening.link_is_up) {
        Complain(ExitStatus::kWell,
                 opening.sentence + " is down; nothing can be managed until it comes up");
    }
    PortWaiting waiting(host_clock, port.descriptor(), &port,
                        [](const void* waited_for, std::uint64_t at_most_us) {
                            static_cast<const UmadPort*>(waited_for)->WaitForArrival(at_most_us);
                        });
    const ExitStatus status =
        Live(options, {port, host_clock, host_entropy, waiting, opening.port_guid});
    port.Close();
    return status;
}

ExitStatus StatusFor(MailboxFault fault) {
    switch (fault) {
        case MailboxFault::kNone:
            return ExitStatus::kWell;
        case MailboxFault::kNoPermission:
            return ExitStatus::kPermission;
        case MailboxFault::kOccupied:
            return ExitStatus::kOccupied;
        case MailboxFault::kNoDevice:
        case MailboxFault::kBroken:
            break;
    }
    return ExitStatus::kDevice;
}

ExitStatus LiveAtMailbox(const Options& options) {
    const bool is_uio = options.mailbox == Options::Mailbox::kUio;
    MailboxMapping& mapping = is_uio ? static_cast<MailboxMapping&>(uio_mapping) : shared_mapping;
    MailboxOpening opening =
        is_uio ? uio_mapping.Open(options.mailbox_path) : shared_mapping.Open(options.mailbox_path);
    if (opening.fault != MailboxFault::kNone) {
        return Complain(StatusFor(opening.fault), opening.sentence);
    }
    MailboxPort& port = mailbox_port.Make(mapping.window(), host_clock, mapping.doorbell());
    opening = OpenPort(port, mapping, options.mailbox_path);
    if (opening.fault != MailboxFault::kNone) {
        return Complain(StatusFor(opening.fault), opening.sentence);
    }
    if (port_wish.guid != kNoGuid && port_wish.guid != port.port_guid()) {
        const std::array there = {port.port_guid()};
        port.Close();
        return RefusePort(options, ExplainNoPort(port_wish.guid, there));
    }
    if (!port.link_is_up()) {
        Complain(ExitStatus::kWell, options.mailbox_path +
                                        " says that the port is down; nothing "
                                        "can be managed until it comes up");
    }
    MailboxWaiting waiting(host_clock, mapping);
    const ExitStatus status =
        Live(options, {port, host_clock, host_entropy, waiting, port.port_guid(), nullptr, &port});
    port.Close();
    return status;
}

/// The netlist that --sim names: a file when it looks like one, else a shape.
net::Netlist NetlistFor(const Options& options, bool& is_file, net::NetErrors& errors) {
    is_file = LooksLikeFile(options.simulated);
    if (is_file) {
        decltype(options.simulated) text;
        auto wrong = ReadText(options.simulated, "the netlist", text);
        if (wrong.empty()) return net::ParseNetlist(text, options.simulated, errors);
        errors.push_back(wrong);
        return {};
    }
    auto wrong = options.simulated;
    net::Netlist netlist = net::TopologyByName(options.simulated, wrong);
    if (netlist.nodes.empty()) errors.push_back(wrong);
    return netlist;
}

ExitStatus LiveInSimulation(const Options& options) {
    net::NetErrors errors;
    bool is_file = false;
    const net::Netlist netlist = NetlistFor(options, is_file, errors);
    for (const auto& error : errors) {
        Complain(ExitStatus::kWell, error);
    }
    if (netlist.nodes.empty()) return is_file ? ExitStatus::kFile : ExitStatus::kUsage;
    sim::FabricSim::Options chance;
    chance.faults.seed = options.seed;
    sim::FabricSim& sim = fabric_sim.Make(netlist, chance);
    sim::Attachment* const seat = sim.AttachAt(port_wish.guid);
    if (seat == nullptr) return RefusePort(options, ExplainNoPort(port_wish.guid, sim.EndPorts()));
    sim::Attachment& port = *seat;
    sim::SimEntropy entropy(options.seed);
    SimWaiting waiting(sim);
    const Guid own = sim.world().port(port.row()).guid;
    return Live(options, {port, sim.clock(), entropy, waiting, own, &waiting});
}

ExitStatus Main(std::span<const char* const> arguments) {
    Options& options = command_line.Make();
    const auto wrong = ParseOptions(arguments, options);
    if (!wrong.empty()) return Complain(ExitStatus::kUsage, wrong);
    switch (options.run) {
        case Options::Run::kHelp:
            return Print(OptionsHelp());
        case Options::Run::kVersion:
            return PrintVersion();
        case Options::Run::kMemory:
            return PrintMemory(kMemoryTable);
        case Options::Run::kNormal:
            break;
    }
    const bool by_umad = options.fabric == Options::Fabric::kUmad;
    const auto absent = by_umad ? ExplainAbsentSimulator() : decltype(options.ca)();
    if (!absent.empty()) return Complain(ExitStatus::kDevice, absent);
    if (options.supervise && !options.watchdog.empty()) {
        const auto refused = watchdog.Open(options.watchdog, options.watchdog_s, options.hang_s);
        if (!refused.empty()) return Complain(ExitStatus::kFile, refused);
    }
    int over = 0;
    const std::uint64_t hang_us = options.hang_s * kUsInSecond;
    if (options.supervise && !Supervise(hang_us, watchdog, supervision, over)) {
        return static_cast<ExitStatus>(over);
    }
    if (signals.Open() != Status::kOk) {
        return Complain(ExitStatus::kFile, "the kernel gives no descriptor for signals");
    }
    const ExitStatus opened = OpenStore(options);
    if (opened != ExitStatus::kWell) return opened;
    const auto unread =
        FindPortWish(options, *kept.waited, configuration_memory.room(), settings, port_wish);
    if (!unread.empty()) return Complain(ExitStatus::kFile, unread);
    if (options.fabric == Options::Fabric::kSimulated) return LiveInSimulation(options);
    return by_umad ? LiveAtPort(options) : LiveAtMailbox(options);
}

}  // namespace
}  // namespace ember

int main(int count, char** arguments) {
    const std::span all(arguments, static_cast<std::size_t>(count));
    return static_cast<int>(ember::Main(all.subspan(count > 0 ? 1 : 0)));
}
