// SPDX-License-Identifier: Apache-2.0
// EmberSM: paths of random subnets, beside those that an oracle finds.

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "config/netlist/topologies.h"
#include "tests/core/administration/paths/path_net.h"
#include "tests/core/administration/paths/path_oracle.h"

namespace ember {
namespace {

using testing::PathNet;
using testing::PathOracle;
using P = PathRecord;

template <typename Value>
Value OneOf(std::initializer_list<Value> values) {
    return *rc::gen::elementOf(std::vector<Value>(values));
}
bool Now(unsigned percent) {
    return *rc::gen::inRange<unsigned>(0, 100) < percent;
}

net::Netlist AnyNet() {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const auto switches = *rc::gen::inRange<std::uint32_t>(1, 9);
    return net::RandomGraph(seed, switches, 3, *rc::gen::inRange<std::uint32_t>(1, 3));
}

/// Ports of all kinds, holes and rings in the tables, cables that are gone.
void Spoil(PathNet& paths) {
    const bool fast = Now(50);
    ForEachPort(paths.fabric(), [&](PortIndex, Port& port) {
        if (Now(70)) return;
        port.info.Set(PortInfo::kMtuCap, static_cast<Mtu>(*rc::gen::inRange<unsigned>(1, 6)));
        port.info.Set(PortInfo::kLinkWidthActive, OneOf<std::uint8_t>({1, 2, 4, 8, 16}));
        port.info.Set(PortInfo::kLinkSpeedActive, OneOf<std::uint8_t>({1, 2, 4}));
        if (!fast) return;
        port.info.Set(PortInfo::kLinkSpeedExtActive, OneOf<std::uint8_t>({0, 1, 2, 4}));
        if (Now(80)) {
            port.info.Set(PortInfo::kCapabilityMask, capability_mask::kIsExtendedSpeedsSupported);
        }
    });
    ForEachSwitch(paths.fabric(), [&](SwitchIndex at, const Switch& row) {
        for (std::uint8_t& exit : paths.lfts()[at]) {
            if (exit == 255 || Now(97)) continue;
            const unsigned ports = paths.fabric().node(row.node).port_count;
            exit = static_cast<std::uint8_t>(*rc::gen::inRange<unsigned>(0, ports + 2));
        }
    });
    ForEachPort(paths.fabric(), [&](PortIndex at, Port&) {
        if (Now(2)) paths.fabric().Disconnect(at);
    });
}

Port& AnyEndPort(PathNet& paths) {
    std::vector<PortIndex> ends;
    ForEachEndPort(paths.fabric(), [&](PortIndex at, const Port&) { ends.push_back(at); });
    return paths.fabric().port(*rc::gen::elementOf(ends));
}

/// Names ports that are there, most of the time.
PathRecord AnyQuestion(PathNet& paths, std::uint64_t& mask) {
    PathRecord asked;
    const auto set = [&](std::initializer_list<unsigned> components, unsigned percent) {
        if (!Now(percent)) return;
        for (const unsigned component : components) {
            if (Now(95)) mask |= std::uint64_t{1} << component;
        }
    };
    const Port& source = AnyEndPort(paths);
    const Port& destination = AnyEndPort(paths);
    const std::uint64_t prefix = Now(95) ? 0xFE80000000000000 : 0x1234;
    asked.Set(P::kSgidPrefix, prefix);
    asked.Set(P::kDgidPrefix, std::uint64_t{0xFE80000000000000});
    asked.Set(P::kSgidGuid, Now(95) ? source.guid : AnyEndPort(paths).guid);
    asked.Set(P::kDgidGuid, Now(95) ? destination.guid : Guid{77});
    const auto lid_of = [](const Port& port) {
        return static_cast<Lid>(Raw(port.lid) + *rc::gen::inRange<unsigned>(0, 1U << port.lmc));
    };
    asked.Set(P::kSlid, lid_of(source));
    asked.Set(P::kDlid, Now(95) ? lid_of(destination) : Lid{3});
    asked.Set(P::kRawTraffic, *rc::gen::inRange<std::uint8_t>(0, 2));
    asked.Set(P::kReversible, *rc::gen::inRange<std::uint8_t>(0, 2));
    asked.Set(P::kNumbPath, *rc::gen::inRange<std::uint8_t>(0, 20));
    asked.Set(P::kPKey, OneOf<std::uint16_t>({0xFFFF, 0x7FFF, 0x8001}));
    asked.Set(P::kSl, *rc::gen::inRange<std::uint8_t>(0, 16));
    asked.Set(P::kMtuSelector, static_cast<Selector>(*rc::gen::inRange<unsigned>(0, 4)));
    asked.Set(P::kMtu, static_cast<Mtu>(*rc::gen::inRange<unsigned>(0, 7)));
    asked.Set(P::kRateSelector, static_cast<Selector>(*rc::gen::inRange<unsigned>(0, 4)));
    asked.Set(P::kRate, static_cast<Rate>(*rc::gen::inRange<unsigned>(1, 26)));
    asked.Set(P::kPacketLifeTimeSelector, static_cast<Selector>(*rc::gen::inRange<unsigned>(0, 4)));
    asked.Set(P::kPacketLifeTime, *rc::gen::inRange<std::uint8_t>(0, 22));
    set({P::kHasSgid}, 40);
    set({P::kHasDgid}, 40);
    set({P::kHasSlid}, 40);
    set({P::kHasDlid}, 40);
    set({P::kHasServiceIdHigh, P::kHasServiceIdLow}, 5);
    set({P::kHasRawTraffic}, 10);
    set({P::kHasReversible}, 30);
    set({P::kHasNumbPath}, 30);
    set({P::kHasPKey}, 20);
    set({P::kHasSl}, 20);
    set({P::kHasMtu, P::kHasMtuSelector}, 25);
    set({P::kHasRate, P::kHasRateSelector}, 25);
    set({P::kHasPacketLifeTime, P::kHasPacketLifeTimeSelector}, 25);
    set({P::kHasFlowLabel, P::kHasHopLimit, P::kHasTClass, P::kHasQosClass}, 10);
    return asked;
}

RC_GTEST_PROP(PathsProperty, EveryAnswerIsTheOracles, ()) {
    net::BuiltFabric::Options options;
    options.lmc = static_cast<std::uint8_t>(OneOf<unsigned>({0, 0, 1, 2}));
    PathNet paths(AnyNet(), options);
    Spoil(paths);
    paths.settings().max_rate_enum = OneOf<std::uint8_t>({63, 63, 18, 24, 7});
    paths.view().generation = OneOf<std::uint64_t>({0, 5});
    const auto lfts = paths.lfts();
    const PathOracle oracle(paths.fabric(), paths.settings(), lfts);
    for (int i = 0; i < 8; ++i) {
        std::uint64_t mask = 0;
        const PathRecord asked = AnyQuestion(paths, mask);
        const Method method = OneOf<Method>({Method::kGet, Method::kGetTable});
        const auto theirs = oracle.Ask(method, mask, asked);
        const auto ours = paths.Ask(method, mask, asked, *rc::gen::inRange<std::uint32_t>(1, 200));
        RC_ASSERT(ours.status == theirs.status);
        RC_ASSERT(ours.records.size() == theirs.records.size());
        RC_ASSERT(ours.records == theirs.records);
    }
}

}  // namespace
}  // namespace ember
