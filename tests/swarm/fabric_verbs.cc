// SPDX-License-Identifier: Apache-2.0
// EmberSM: what happens to the fabric in a story.
#include "tests/swarm/picks.h"
#include "tests/swarm/swarm.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

using Action = sim::FabricSim::Action;
using net::Random;

/// From a moment to a few seconds, short ones more often.
std::uint64_t AWhile(Random& random) {
    constexpr std::array kMost = {20 * kMs, 200 * kMs, 2 * kSecond, 5 * kSecond};
    return kMs + random.Next() % kMost[random.Below(kMost.size())];
}

void CutFor(Swarm& swarm, std::uint32_t row, std::uint64_t down_us) {
    swarm.Tell("  cut row " + std::to_string(row));
    swarm.Part(Action::kCut, row);
    swarm.Later(down_us, [&swarm, row] { swarm.sim().Do(Action::kJoin, row); });
}

}  // namespace

void CutTrunk(Swarm& swarm, Random& random) {
    if (swarm.trunks().empty()) return;
    const std::uint32_t row = PickOf(swarm.trunks(), random);
    CutFor(swarm, row, AWhile(random));
}

void CutHost(Swarm& swarm, Random& random) {
    const std::uint32_t host = PickOf(swarm.hosts(), random);
    CutFor(swarm, swarm.sim().RowOf(host, 1), AWhile(random));
}

void FlapTrunk(Swarm& swarm, Random& random) {
    if (swarm.trunks().empty()) return;
    const std::uint32_t row = PickOf(swarm.trunks(), random);
    const std::uint32_t times = 2 + random.Below(8);
    const std::uint64_t pace_us = 20 * kMs + random.Next() % (300 * kMs);
    for (std::uint32_t i = 0; i < times; ++i) {
        swarm.Later(i * pace_us, [&swarm, row, pace_us] { CutFor(swarm, row, pace_us / 2); });
    }
}

void PowerOff(Swarm& swarm, Random& random) {
    const std::uint32_t node = PickNode(swarm, random);
    swarm.Tell("  node " + std::to_string(node));
    swarm.Part(Action::kPowerOff, node);
    swarm.Later(AWhile(random), [&swarm, node] { swarm.sim().Do(Action::kPowerOn, node); });
}

/// So short that the master may not notice it: the node has forgotten everything, and its links
/// were not seen down.
void Reboot(Swarm& swarm, Random& random) {
    const std::uint32_t node = PickNode(swarm, random);
    swarm.Tell("  node " + std::to_string(node));
    swarm.Part(Action::kPowerOff, node);
    swarm.Later(1 + random.Next() % (30 * kMs),
                [&swarm, node] { swarm.sim().Do(Action::kPowerOn, node); });
}

/// Two hosts change places.
void SwapHosts(Swarm& swarm, Random& random) {
    const std::uint32_t one = swarm.sim().RowOf(PickOf(swarm.hosts(), random), 1);
    const std::uint32_t other = swarm.sim().RowOf(PickOf(swarm.hosts(), random), 1);
    const std::uint32_t at_one = swarm.hardware().Wired(one);
    const std::uint32_t at_other = swarm.hardware().Wired(other);
    if (one == other || at_one == other || at_one == sim::kNoRow || at_other == sim::kNoRow) return;
    swarm.sim().SwapLinks(one, other);
}

void Rename(Swarm& swarm, Random& random) {
    const std::uint32_t node = PickNode(swarm, random);
    swarm.sim().Rename(node, "renamed " + std::to_string(random.Below(100)));
}

void SpoilWire(Swarm& swarm, Random& random) {
    sim::Faults& faults = swarm.sim().faults();
    constexpr std::array<std::uint32_t, 4> kLoss = {0, 2, 10, 40};
    faults.loss = kLoss[random.Below(kLoss.size())] * sim::kPercent;
    faults.duplication = random.Below(2) == 0 ? 0 : 20 * sim::kPercent;
    faults.jitter_ns = random.Below(2) == 0 ? 0 : 1 + random.Below(30'000'000);
    faults.busy = random.Below(3) == 0 ? 20 * sim::kPercent : 0;
    swarm.Later(AWhile(random), [&faults] {
        faults.loss = faults.duplication = faults.jitter_ns = faults.busy = 0;
    });
}

void CorruptWire(Swarm& swarm, Random& random) {
    sim::Faults& faults = swarm.sim().faults();
    swarm.watch().NoteDeceit();
    faults.corruption = (1 + random.Below(5)) * sim::kPercent;
    swarm.Later(AWhile(random), [&faults] { faults.corruption = 0; });
}

void Silence(Swarm& swarm, Random& random) {
    const std::uint32_t node = PickNode(swarm, random);
    swarm.Tell("  node " + std::to_string(node));
    swarm.sim().Silence(node, random.Below(40));
    swarm.Later(AWhile(random), [&swarm, node] { swarm.sim().EndSilence(node); });
}

}  // namespace ember::swarm
