// SPDX-License-Identifier: Apache-2.0
// EmberSM: the light sweep, which asks whether anything changed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/m_keys/known_m_keys.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kLightSweepClient{2};

/// Asks every switch for its SwitchInfo, and asks behind every port that has a link and no known
/// peer. The sweep writes only NodeDescriptions; its outcome decides whether a heavy sweep follows.
/// Source: OpenSM, osm_state_mgr.c.
class LightSweep {
public:
    struct Outcome {
        std::uint32_t asked = 0;    ///< Switches.
        std::uint32_t changed = 0;  ///< Of these, with PortStateChange set, or reset since.
        std::uint32_t silent = 0;   ///< Switches that did not answer.
        std::uint32_t awoken = 0;   ///< Ports behind which a node answers now.
        std::uint32_t mute = 0;     ///< Ports with a link behind which nothing answers.
        [[nodiscard]] bool wants_heavy() const { return (changed | silent | awoken) != 0; }
        /// A heavy sweep is needed, whatever the answers under way say.
        [[nodiscard]] bool has_seen_enough() const { return (changed | awoken) != 0; }
    };

    LightSweep(Fabric& fabric, Exchange& exchange, const KnownMKeys& keys, const Settings& settings)
        : fabric_(fabric),
          asker_(fabric, exchange, settings, kLightSweepClient),
          keys_(keys),
          settings_(settings) {}
    LightSweep(const LightSweep&) = delete;
    LightSweep& operator=(const LightSweep&) = delete;

    void Begin(std::uint64_t now_us);
    void Step(std::uint64_t now_us);
    /// Takes an answer to a question of kLightSweepClient.
    void Hear(const Answer& answer, std::uint64_t now_us);
    [[nodiscard]] bool done() const { return at_end_ && asker_.in_flight() == 0; }
    /// Step() has further rows to look at.
    [[nodiscard]] bool hungry() const { return !at_end_; }
    void Abandon();
    [[nodiscard]] const Outcome& outcome() const { return outcome_; }

private:
    enum class Kind : std::uint8_t { kSwitch, kKnock, kDescription };

    void AskSwitch(SwitchIndex at, std::uint64_t now_us);
    void AskPort(PortIndex at, bool knocks, std::uint64_t now_us);
    void AskDescription(PortIndex at, std::uint64_t now_us);
    void Knock(PortIndex at, std::uint64_t now_us);
    [[nodiscard]] bool AskBeyond(PortIndex exit, std::size_t knocks, std::uint64_t now_us);
    void OnMute(const Answer& answer, std::uint64_t now_us);
    void OnSwitch(const Answer& answer);
    void OnKnock(const Answer& answer);
    [[nodiscard]] std::size_t TurnOf(std::size_t knocks, std::size_t turns) const;
    void RememberKey(PortIndex exit, Guid port, std::size_t knocks);
    void OnDescription(const Answer& answer);
    void Post(Kind kind, AttributeId attribute, Ask& ask, std::uint32_t subject,
              std::uint64_t now_us);

    Fabric& fabric_;
    Asker asker_;
    const KnownMKeys& keys_;
    const Settings& settings_;
    std::uint32_t sweeps_ = 0;
    std::size_t switch_cursor_ = 0;
    std::size_t port_turn_ = 0;  ///< Two a port: its description, and what is behind it.
    bool at_end_ = true;
    Outcome outcome_;
};

}  // namespace ember
