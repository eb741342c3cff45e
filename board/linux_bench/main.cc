// SPDX-License-Identifier: Apache-2.0
// EmberSM: a Linux host as a bench: composes one subnet manager and lets it live.

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "board/linux_bench/profile.h"
#include "config/netlist/topologies.h"
#include "core/settings.h"
#include "core/storage.h"
#include "core/subnet_manager.h"
#include "engines/catalogue.h"
#include "platform/linux/clock.h"
#include "platform/linux/entropy.h"
#include "platform/linux/file_store.h"
#include "platform/linux/files.h"
#include "platform/linux/late.h"
#include "platform/linux/options.h"
#include "platform/linux/program.h"
#include "platform/linux/reload.h"
#include "platform/linux/sim_waiting.h"
#include "platform/linux/store_writer.h"
#include "platform/linux/version.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"
#include "platform/umad/simulator.h"
#include "platform/umad/umad_port.h"

namespace ember {
namespace {

static_assert(kLinuxBench.scratch_bytes >=
                  Router::ScratchBytes(kLinuxBench, EngineScratchBytes(kLinuxBench)),
              "scratch_bytes cannot feed the router: enlarge it");

using Bench = Storage<kLinuxBench>;
using BenchConfiguration = ConfigurationMemory<kMaxBlobBytes>;
/// The core's tables, and what the process has beside them.
constexpr auto kMemoryTable = [] {
    constexpr auto kCore = Bench::table();
    std::array<MemoryRow, kCore.size() + 3> rows;
    std::copy(kCore.begin(), kCore.end(), rows.begin());
    rows[kCore.size()] = {"configuration, blobs", BenchConfiguration::kBlobBytes};
    rows[kCore.size() + 1] = {"configuration, tables", BenchConfiguration::kTableBytes};
    rows[kCore.size() + 2] = {"dumps", DumpJob::ScratchBytes(kLinuxBench)};
    return rows;
}();
constexpr std::size_t kLargestSlot =
    std::max(LidMap::StoreBytes(kLinuxBench.max_lid), kMaxBlobBytes);

// Everything that is ever used. What is as large as a table does not stand in a stack frame.
/// The views of all that is in storage: a kilobyte, which a stack frame may not hold.
struct Views {
    explicit Views(Bench& bench) : memory(bench.memory()) {}
    SubnetManager::Memory memory;
};

Late<Bench> storage;
Late<Views> views;
Late<SubnetManager> subnet_manager;
Late<Program> program;
Late<Reloader> reloader;
Late<FileStore> file_store;
Late<StoreWriter> store_writer;
std::array<std::byte, LidMap::StoreBytes(kLinuxBench.max_lid)> lid_octets;
Late<sim::SimStore> forgetful_store;
Late<sim::FabricSim> fabric_sim;
Late<UmadPort> umad_port;
BenchConfiguration configuration_memory;
ConfigurationReport configuration;
Settings settings;
Engines engines;
std::array<std::string_view, kEngineCatalogue.size()> engine_names;
std::array<NodeIndex, kLinuxBench.max_nodes> node_order;
std::array<SwitchIndex, kLinuxBench.max_switches> switch_order;
alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kLinuxBench)> dump_scratch;
LinuxClock host_clock;
ThreadCpuClock cpu_clock;
LinuxEntropy host_entropy;
Signals signals;

/// What differs between a real port and a simulated fabric.
struct Outside {
    MadPort& port;
    const Clock& clock;
    Entropy& entropy;
    Waiting& waiting;
    Guid own_port;
    SimWaiting* simulated = nullptr;
};

/// The store, the configuration, and the subnet manager with both.
ExitStatus Compose(const Options& options, const Outside& outside) {
    Store* store = nullptr;  // What is read at the start is waited for.
    Store* kept = nullptr;   // What is saved in a step is not.
    if (options.state_dir.empty()) {
        kept = store = &forgetful_store.Make(kLargestSlot);
    } else {
        FileStore& files = file_store.Make();
        const auto wrong = files.Open(options.state_dir);
        if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);
        store = &files;
        StoreWriter& writer = store_writer.Make(files, lid_octets);
        const auto stuck = writer.Start();
        if (!stuck.empty()) return Complain(ExitStatus::kFile, stuck);
        kept = &writer;
    }
    const ConfigurationFiles files{options.blob, options.public_key};
    const auto wrong =
        Configure(files, *store, configuration_memory.room(), settings, configuration);
    if (!wrong.empty()) return Complain(ExitStatus::kFile, wrong);

    for (std::size_t i = 0; i < engine_names.size(); ++i) {
        engine_names[i] = engines.All()[i]->name();
    }
    SubnetManager& sm = subnet_manager.Make(
        views.Make(storage.Make()).memory, kLinuxBench,
        SubnetManager::Platform{outside.port, outside.clock, cpu_clock, *kept, outside.entropy},
        settings, engines.All());
    Reloader& made_reloader =
        reloader.Make(Reloader::Parts{sm, outside.clock, *store, configuration_memory.room(),
                                      configuration_memory.other_tables(), configuration});
    made_reloader.Remember(files);
    Program& made = program.Make(Program::Parts{
        sm, outside.clock, outside.waiting, signals, outside.own_port, kMemoryTable, configuration,
        made_reloader, DumpJob::Room{node_order, switch_order, dump_scratch}, engine_names});
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
    if (!options.state_dir.empty()) store_writer.Get().Finish();
    return life.Finish(end);
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
        case UmadFault::kBroken:
            break;
    }
    return ExitStatus::kDevice;
}

ExitStatus LiveAtPort(const Options& options) {
    UmadPort& port = umad_port.Make();
    const UmadOpening opening = port.Open({options.ca, options.port, options.guid});
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
    sim::Attachment& port = sim.AttachAnywhere();
    sim::SimEntropy entropy(options.seed);
    SimWaiting waiting(sim);
    const Guid own = sim.world().port(port.row()).guid;
    return Live(options, {port, sim.clock(), entropy, waiting, own, &waiting});
}

ExitStatus Main(std::span<const char* const> arguments) {
    Options options;
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
    const bool simulated = options.fabric == Options::Fabric::kSimulated;
    if (!simulated) {
        const auto absent = ExplainAbsentSimulator();
        if (!absent.empty()) return Complain(ExitStatus::kDevice, absent);
    }
    if (signals.Open() != Status::kOk) {
        return Complain(ExitStatus::kFile, "the kernel gives no descriptor for signals");
    }
    return simulated ? LiveInSimulation(options) : LiveAtPort(options);
}

}  // namespace
}  // namespace ember

int main(int count, char** arguments) {
    const std::span all(arguments, static_cast<std::size_t>(count));
    return static_cast<int>(ember::Main(all.subspan(count > 0 ? 1 : 0)));
}
