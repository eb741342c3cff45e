// SPDX-License-Identifier: Apache-2.0
// EmberSM: an image for QEMU's machine "virt": composes one subnet manager and lets it live.

#include "board/qemu_virt/run_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "board/qemu_virt/pairs.h"
#include "board/switch_small/profile.h"
#include "board/trusted_key.h"  // Generated: emberc keygen --header.
#include "config/blob/load_configuration.h"
#include "config/blob/message_codes.h"
#include "config/netlist/topologies.h"
#include "core/lids/lid_map.h"
#include "core/log/fixed_text.h"
#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "core/settings/settings.h"
#include "engines/catalogue.h"
#include "platform/bare/clock.h"
#include "platform/bare/configuration_flash.h"
#include "platform/bare/entropy.h"
#include "platform/bare/exit.h"
#include "platform/bare/image.h"
#include "platform/bare/kept_state.h"
#include "platform/bare/lent_memory.h"
#include "platform/bare/machine.h"
#include "platform/bare/stack.h"
#include "platform/bare/uart.h"
#include "platform/bare/uart_log.h"
#include "platform/common/configuration_report.h"
#include "platform/common/in_vain.h"
#include "platform/common/late.h"
#include "platform/common/summary.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_store.h"

namespace ember {
namespace {

using bare::Ending;
using bare::Say;

constexpr std::size_t kBlobBytes = kSwitchSmallBudget.blob_bytes;
constexpr std::size_t kOptionBytes = OptionRoomBytesFor(kBlobBytes);
/// The host runs the same: embersm --sim=hypercube:6:4.
constexpr std::string_view kFabricName = "hypercube:6:4";
/// Virtual time is turned at most so far at once, as embersm --sim does.
constexpr std::uint64_t kLongestTurnUs = 1'000'000;
/// All that is to be kept is kept so soon after the subnet is up.
constexpr std::uint64_t kKeepWithinUs = 3'000'000;
/// A cut cable must have been dealt with so soon, in virtual time.
constexpr std::uint64_t kHealWithinUs = 5'000'000;

using Tables = Storage<kSwitchSmall>;
constexpr auto kMemoryTable = [] {
    constexpr auto kCore = Tables::table();
    std::array<MemoryRow, kCore.size() + 3> rows;
    std::copy(kCore.begin(), kCore.end(), rows.begin());
    rows[kCore.size()] = {"configuration, blobs", 2 * kBlobBytes};
    rows[kCore.size() + 1] = {"configuration, tables", kOptionBytes};
    rows[kCore.size() + 2] = {"state in flash memory", sizeof(bare::KeptState)};
    return rows;
}();

// Everything that is ever used; the simulated fabric alone takes memory that is lent.
Late<Tables> storage;
Late<SubnetManager> subnet_manager;
Late<sim::FabricSim> fabric_sim;
Late<bare::KeptState> kept_state;
Late<sim::SimStore> forgetful_store;  // Where the flash is of no use.
Store* kept = nullptr;                // Saves in a step are not waited for,
Store* waited = nullptr;              // reads and saves at the start are.
ImagePort* image_port = nullptr;
Late<bare::GenericTimer> timer;
Late<bare::InstructionCounter> instructions;
Late<bare::UartLog> uart_log;
bare::TimerEntropy entropy;
Late<HashedCodes> codes;
Settings settings;
Engines engines;
ConfigurationReport configuration;
std::array<std::string_view, kEngineCatalogue.size()> engine_names;
alignas(64) std::array<std::byte, kBlobBytes> supplied;
alignas(64) std::array<std::byte, kBlobBytes> work;
alignas(64) std::array<std::byte, kOptionBytes> option_tables;
std::array<char, 8192> text_room;
std::uint64_t longest_step_us;
std::uint32_t longest_step_instructions;

void SayLine(std::string_view label, std::string_view value) {
    Say(label);
    Say(value);
    Say("\n");
}

/// The store that survives a restart, or one that does not; the UART has heard which.
void OpenState() {
    bare::KeptState& state = kept_state.Make(timer.Make());
    const FlashContents contents = {LidMap::StoreBytes(kSwitchSmall.max_lid), kBlobBytes,
                                    MKeyFile::Bytes(kSwitchSmall)};
    const bool is_open = state.Open(contents);
    state.SayWhatWasFound();
    if (is_open) {
        kept = &state.store();
        waited = &state.waited();
        return;
    }
    kept = waited = &forgetful_store.Make(kBlobBytes);
}

/// False when there is no configuration to run with; the UART has heard why.
bool Configure() {
    const auto* const flash =
        std::bit_cast<const volatile std::uint32_t*>(std::uintptr_t{bare::kFlashAddress});
    const std::size_t bytes = bare::ReadConfiguration(flash, bare::kConfigurationBytes, supplied);
    configuration.given = true;
    configuration.key = kTrustedKey;
    configuration.octets = bytes;
    const ConfigurationOutcome& outcome = configuration.outcome =
        LoadConfiguration({.octets = std::span<const std::byte>(supplied).first(bytes)},
                          kTrustedKey, *waited, {work, {option_tables}}, settings);
    FixedText text(text_room);
    if (outcome.source == ConfigurationSource::kUnchanged) {
        AddVerdict(text, outcome.supplied, option_tables.size());
        SayLine("configuration: the one in flash is refused: ", text.text());
        return false;
    }
    AddConfiguration(text, configuration);
    SayLine("configuration: ", text.text());
    if (outcome.kept != Status::kOk) Say("state: the configuration could not be kept\n");
    return true;
}

void Compose(MakePort make_port) {
    sim::FabricSim& sim = fabric_sim.Make(net::Hypercube(6, 4), sim::FabricSim::Options{});
    image_port = &make_port(sim.AttachAnywhere(), timer.Get());
    for (std::size_t i = 0; i < engine_names.size(); ++i) {
        engine_names[i] = engines.All()[i]->name();
    }
    SubnetManager& sm = subnet_manager.Make(storage.Make().memory(), kSwitchSmall,
                                            SubnetManager::Platform{.port = image_port->port(),
                                                                    .clock = sim.clock(),
                                                                    .work_clock = timer.Get(),
                                                                    .store = *kept,
                                                                    .entropy = entropy,
                                                                    .codes = &codes.Make()},
                                            settings, engines.All());
    sm.log().SetMinimum(Severity::kWarning);
    uart_log.Make(Vocabulary{engine_names, &sm.names()});
    instructions.Make();
    bare::TheLentMemory().Close();
}

/// Takes a step, measures it and says what it logged; then lets time pass until the next is due.
void StepOnce() {
    SubnetManager& sm = subnet_manager.Get();
    const std::uint64_t began_us = timer.Get().NowUs();
    const std::uint32_t began = instructions.Get().Now();
    const std::uint64_t deadline_us = sm.Step();
    const std::uint32_t count = instructions.Get().Now() - began;
    longest_step_us = std::max(longest_step_us, timer.Get().NowUs() - began_us);
    longest_step_instructions = std::max(longest_step_instructions, count);
    uart_log.Get().Drain(sm.log());
    image_port->Turn();
    sim::FabricSim& sim = fabric_sim.Get();
    const std::uint64_t now_us = sim.clock().NowUs();
    if (deadline_us > now_us) {
        sim.AdvanceToNextEvent(std::min(deadline_us, now_us + kLongestTurnUs));
    }
    image_port->Turn();
}

bool BringUp() {
    const SubnetManager& sm = subnet_manager.Get();
    while (sm.progress().up_count == 0) {  // Ends: up, or in vain after some sweeps.
        StepOnce();
        if (sm.progress().up_count == 0 && IsInVain(sm)) return false;
    }
    return true;
}

/// The configuration has proved itself, and the store is told.
bool Confirm() {
    const ConfigurationOutcome& outcome = configuration.outcome;
    if (!outcome.on_trial) return true;
    if (!subnet_manager.Get().progress().routed_as_configured) {
        Say("configuration: not confirmed, as no engine of its list could route\n");
        return false;
    }
    Status confirmed = Status::kBusy;
    while (confirmed == Status::kBusy) {  // Ends: a device is busy for so long and no longer.
        confirmed = ConfirmConfiguration(outcome.counter(), *kept);
        StepOnce();
    }
    Say(confirmed == Status::kOk ? "configuration: confirmed\n"
                                 : "configuration: it could not be confirmed\n");
    return confirmed == Status::kOk;
}

/// Whether every pair is connected, said in a line.
bool PairsAreConnected(std::string_view when) {
    const PairCount count = CountPairs(fabric_sim.Get().world());
    FixedText text(text_room);
    text.Add(when).Add(": ").AddNumber(count.reached).Add(" of ").AddNumber(count.asked);
    text.Add(" routes lead where they should\n");
    Say(text.text());
    return count.asked > 0 && count.reached == count.asked;
}

/// A row of the first cable between two switches.
std::uint32_t FirstTrunk(const sim::World& world) {
    for (std::uint32_t row = 0; row < world.row_count(); ++row) {
        const std::uint32_t other = world.Wired(row);
        if (other == sim::kNoRow) continue;
        if (world.node_of(row).is_switch() && world.node_of(other).is_switch()) return row;
    }
    return sim::kNoRow;
}

void LiveFor(std::uint64_t time_us) {
    sim::FabricSim& sim = fabric_sim.Get();
    const std::uint64_t until_us = sim.clock().NowUs() + time_us;
    while (sim.clock().NowUs() < until_us) {  // Ends: a step that is idle turns the clock.
        StepOnce();
    }
}

/// Cuts a cable, and whether traffic goes round it soon.
bool HealsAfterCut() {
    sim::FabricSim& sim = fabric_sim.Get();
    sim.Do(sim::FabricSim::Action::kCut, FirstTrunk(sim.world()));
    const PairCount broken = CountPairs(sim.world());
    LiveFor(kHealWithinUs);
    return PairsAreConnected("after a cable was cut") && broken.reached < broken.asked;
}

void SayMachine() {
    const auto stack = bare::Between(__stack_begin, __stack_end);
    const bare::LentMemory& lent = bare::TheLentMemory();
    FixedText text(text_room);
    text.Add("stack: ").AddNumber(bare::DeepestBytes(stack)).Add(" of ");
    text.AddNumber(stack.size()).Add(" bytes\n");
    text.Add("lent to the simulated fabric: ").AddNumber(lent.used_bytes()).Add(" of ");
    text.AddNumber(lent.size()).Add(" bytes\n");
    text.Add("longest step: ").AddNumber(longest_step_us).Add(" us");
    if (instructions.Get().counts()) {
        text.Add(", ").AddNumber(longest_step_instructions).Add(" instructions");
    }
    text.Add('\n');
    Say(text.text());
}

/// A number that is another when any port has another LID.
void SayLids() {
    FixedText text(text_room);
    text.Add("LIDs: digest ").AddHex(DigestOfLids(fabric_sim.Get().world())).Add('\n');
    Say(text.text());
}

Ending Live(MakePort make_port) {
    Say("entropy: the timer alone; whoever knows when the machine started can guess it\n");
    OpenState();
    if (!Configure()) return Ending::kConfiguration;
    SayLine("fabric: ", kFabricName);
    Compose(make_port);
    const bool up = BringUp();
    FixedText text(text_room);
    AddSummary(text, subnet_manager.Get(), kMemoryTable);
    Say(text.text());
    SayLids();
    if (up) LiveFor(kKeepWithinUs);
    const bool well =
        up && Confirm() && PairsAreConnected("in the switches' tables") && HealsAfterCut();
    SayMachine();
    return well ? Ending::kWell : Ending::kNotUp;
}

/// Nothing in between.
class DirectPort final : public ImagePort {
public:
    explicit DirectPort(MadPort& port) : port_(port) {}
    [[nodiscard]] MadPort& port() override { return port_; }
    void Turn() override {}

private:
    MadPort& port_;
};
Late<DirectPort> direct_port;

}  // namespace

ImagePort& AttachDirectly(sim::Attachment& fabric, const Clock& /*timer*/) {
    return direct_port.Make(fabric);
}

int RunImage(std::string_view board, MakePort make_port) {
    SayLine("EmberSM on ", board);
    const Ending ending = Live(make_port);
    SayLine("verdict: ", ending == Ending::kWell ? "passed" : "FAILED");
    return static_cast<int>(ending);
}

}  // namespace ember
