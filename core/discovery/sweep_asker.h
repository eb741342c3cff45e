// SPDX-License-Identifier: Apache-2.0
// EmberSM: the questions of a sweep that are under way, and the M_Keys with which they are asked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/discovery/probe.h"
#include "core/discovery/probe_queue.h"
#include "core/discovery/sweep_outcome.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/m_keys/known_m_keys.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kDiscoveryClient{1};

/// Asks what probes want to know, and says for which answers a sweep need not wait.
///
/// A question is *minor* when no other node's routes depend on the answer: it goes to an end port
/// that is not ours, or behind a port where a host was or, after the first sweep, where no node
/// was.
class SweepAsker {
public:
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        KnownMKeys& keys;
        ProbeQueue& queue;
        SweepOutcome& outcome;
    };

    SweepAsker(const Parts& parts, const Settings& settings);
    SweepAsker(const SweepAsker&) = delete;
    SweepAsker& operator=(const SweepAsker&) = delete;

    void Begin();
    /// Gives up all questions.
    void Abandon();

    [[nodiscard]] bool has_room() const { return asker_.has_room(); }
    [[nodiscard]] std::uint32_t in_flight() const { return asker_.in_flight(); }
    /// Something is under way, and only minor questions are.
    [[nodiscard]] bool has_only_minor() const {
        EMBER_ASSERT(minor_in_flight_ <= asker_.in_flight());
        return asker_.in_flight() == minor_in_flight_ && asker_.in_flight() != 0;
    }
    /// Questions under way but for NodeDescriptions, for which light sweeps ask too.
    [[nodiscard]] std::uint32_t late() const { return asker_.in_flight() - names_in_flight_; }
    /// Time of the last question or answer.
    [[nodiscard]] std::uint64_t moved_us() const { return moved_us_; }
    /// Only minor questions are open: the sweep may end without their answers. See
    /// Discovery::MayEndEarly().
    [[nodiscard]] bool MayEndEarly(std::uint64_t now_us, bool hurried, bool is_leisurely) const;
    /// When MayEndEarly() may become true; kNever: not by time alone.
    [[nodiscard]] std::uint64_t EndsEarlyUs(std::uint64_t now_us) const;

    /// Asks a probe's question.
    void Post(AttributeId attribute, std::uint32_t modifier, const DirectedPath& path,
              const Probe& probe, std::uint64_t now_us);
    /// Takes an answer: the probe that it answers.
    [[nodiscard]] Probe Take(const Answer& answer, std::uint64_t now_us);
    /// The M_Key with which a probe is asked, as far as it is known now.
    [[nodiscard]] Result<std::uint64_t> MKeyOf(const Probe& probe) const {
        return MKeyFor(probe, probe.turn);
    }
    /// Asks again with the next M_Key that the port may have. False: there is none.
    [[nodiscard]] bool TakesNextTurn(const Probe& probe);
    /// The same for a probe that got no answer. A node that answers nothing without its M_Key seems
    /// silent.
    [[nodiscard]] bool KnocksAgain(const Probe& probe, std::uint64_t now_us);
    /// The node of `at` has answered to this M_Key: it is asked with that until its PortInfo is
    /// read.
    void LearnMKey(PortIndex at, const Probe& probe, std::uint64_t m_key);

private:
    /// In a cookie, beside the cursor of a probe: the sweep may end without the answer.
    static constexpr std::uint16_t kMinorFlag = 0x100;
    /// Likewise: the question goes to an untrusted switch, or to a node behind one; see
    /// fabric/untrusted_switches.h.
    static constexpr std::uint16_t kUntrustedFlag = 0x200;
    static_assert((kMinorFlag & kUntrustedFlag) == 0 &&
                  ((kMinorFlag | kUntrustedFlag) & 0xFFU) == 0);
    /// Above them stands the turn.
    static constexpr unsigned kTurnShift = 10;
    static_assert(KnownMKeys::kMostTurns < 1U << (16U - kTurnShift));

    [[nodiscard]] Result<std::uint64_t> MKeyFor(const Probe& probe, std::size_t turn) const;
    [[nodiscard]] bool IsToUntrusted(const Probe& probe) const;
    [[nodiscard]] bool IsMinor(const Probe& probe) const;

    Fabric& fabric_;
    Exchange& exchange_;
    Log& log_;
    KnownMKeys& keys_;
    ProbeQueue& queue_;
    SweepOutcome& outcome_;
    Asker asker_;
    std::uint32_t minor_in_flight_ = 0;      ///< Questions with kMinorFlag.
    std::uint32_t untrusted_in_flight_ = 0;  ///< Questions with kUntrustedFlag.
    std::uint32_t names_in_flight_ = 0;      ///< NodeDescriptions.
    std::uint32_t answered_ = 0;             ///< In this sweep.
    std::uint64_t moved_us_ = 0;
};

}  // namespace ember
