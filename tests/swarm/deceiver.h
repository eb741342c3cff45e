// SPDX-License-Identifier: Apache-2.0
// EmberSM: nodes that lie, in any number of ways.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/netlist/random.h"
#include "platform/sim/fabric_sim.h"

namespace ember::swarm {

struct Lying;

/// A way to lie: what becomes of an answer. All that is drawn comes from `random`.
struct LieKind {
    std::string_view name;
    bool of_hosts;
    bool of_switches;
    void (*tell)(const Lying& by, const Mad& asked, Mad& answer, net::Random& random);
    /// The agent's deed at a request of the kind; nullptr: that of an honest one.
    sim::Liar::Deed (*deed)(const Mad& asked);
    /// The failure of EmberSM under it, as in Verb; empty: none.
    std::string_view known{};
};

/// A node that lies.
struct Lying {
    const LieKind* kind = nullptr;  ///< nullptr: it is honest.
    std::uint32_t per_million = 0;  ///< Of the requests that it lies about,
    bool is_steady = false;         ///< always the same ones, in the same way.
    std::uint64_t seed = 0;
    const sim::World* world = nullptr;
    std::uint32_t node = 0;  ///< The liar; filled in by Deceiver.
};

/// All there are, in the order of the table in deceiver.cc.
[[nodiscard]] std::span<const LieKind> LieKinds();
/// Lies about tables, keys and what a device can; likewise, of twists.cc. Apart, so that stories
/// that draw from the others stay as they were.
[[nodiscard]] std::span<const LieKind> Twists();

/// Lies in the name of some nodes, several kinds at once if need be, and watches what is asked of
/// the others.
class Deceiver final : public sim::Liar {
public:
    /// Hears of every Set(PortInfo) with ClientReregister that an honest node gets.
    class Listener {
    public:
        virtual void OnRegisterAgain(std::uint32_t node) = 0;

    protected:
        ~Listener() = default;
    };

    Deceiver(const sim::World& world, Listener& listener)
        : world_(world), listener_(listener), lying_(world.node_count()) {}

    void Begin(std::uint32_t node, const Lying& how);
    void End(std::uint32_t node) { lying_[node].clear(); }
    [[nodiscard]] bool Lies(std::uint32_t node) const { return !lying_[node].empty(); }
    [[nodiscard]] bool AnyLies(bool of_switches) const;

    Deed Meet(std::uint32_t node, const Mad& asked) override;
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override;
    bool AnswerBeyond(std::uint32_t node, const Mad& asked, Mad& answer) override;

private:
    [[nodiscard]] net::Random ChanceOf(const Lying& how, const Mad& asked);

    const sim::World& world_;
    Listener& listener_;
    std::vector<std::vector<Lying>> lying_;  ///< By node.
    std::uint64_t told_ = 0;
};

}  // namespace ember::swarm
