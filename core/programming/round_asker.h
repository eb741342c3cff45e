// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is under way to devices in a round of Sets, in two lanes, and what has failed.
#pragma once

#include <cstdint>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/programming/programming_outcome.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kProgrammingClient{3};

/// Asks devices for the stages of a round, and counts what fails.
///
/// Hosts and routers have a lane of their own, for which no stage waits. Our own port and its link
/// are not among them.
class RoundAsker {
public:
    /// Our values of Cookie::kind.
    enum class Kind : std::uint8_t {
        kPort,
        kReadBlock,
        kSwitch,
        kSetBlock,
        kActivate,
        kCheckPort,  ///< A Set to ACTIVE was refused: is it active after all?
        kCheckSet,   ///< Another Set was refused: is the port as it shall be after all?
    };
    /// In Cookie::detail of questions for PortInfo: the port is a host's or router's. The other
    /// bits are the caller's.
    static constexpr std::uint16_t kEndPortLane = 0x8000;

    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
    };

    /// All outlive the object. What fails is counted in `outcome`.
    RoundAsker(const Parts& parts, const Settings& settings, ProgrammingOutcome& outcome);
    RoundAsker(const RoundAsker&) = delete;
    RoundAsker& operator=(const RoundAsker&) = delete;

    /// Tries have their usual number again.
    void BeginRound() { hastens_ = false; }
    /// In this round tries are short, but for those to hosts, so that silence is noted soon.
    void Hasten() { hastens_ = true; }
    /// Gives up what is under way.
    void Abandon();

    [[nodiscard]] bool has_room() const { return asker_.has_room(); }
    /// Under way to switches, and to our own port.
    [[nodiscard]] std::uint32_t in_flight() const {
        EMBER_ASSERT(end_ports_in_flight_ <= asker_.in_flight());
        return asker_.in_flight() - end_ports_in_flight_;
    }
    /// Under way to hosts and routers.
    [[nodiscard]] std::uint32_t end_ports_in_flight() const { return end_ports_in_flight_; }
    /// When something was sent or answered in their lane last.
    [[nodiscard]] std::uint64_t end_ports_moved_us() const { return end_ports_moved_us_; }

    /// The port of a host or router, but not ours, or of a switch that a host may play.
    [[nodiscard]] bool IsOfHost(PortIndex at) const;
    /// Either end of a link, known or not, to a host or router, but not to us.
    [[nodiscard]] bool IsOfHostLink(PortIndex at) const;

    /// Fills in the path to a port's node. False: there is none.
    [[nodiscard]] bool FindPath(PortIndex at, Ask& ask) const { return asker_.FindPath(at, ask); }
    /// The same for a Get or Set of `attribute` that must be: a failure when there is no path.
    [[nodiscard]] bool Prepare(PortIndex at, AttributeId attribute, Ask& ask);
    /// Asks. `subject` is the PortIndex for PortInfo, else the SwitchIndex. Asserts has_room().
    void Post(Ask& ask, Kind kind, std::uint32_t subject, std::uint64_t now_us);
    /// An answer to kProgrammingClient was received. False: its question was abandoned.
    [[nodiscard]] bool Take(const Answer& answer, std::uint64_t now_us);

    /// Counts a Set that failed. A refusal by a switch, at a port without a switch behind it,
    /// counts as the end port's behind it. The silence of a switch counts as its own.
    void CountFailure(PortIndex at, Status status);
    /// Counts and notes a Set that failed. The next sweep is heavy and tries again.
    void Fail(const Answer& answer, PortIndex at, std::uint64_t now_us);

private:
    Fabric& fabric_;
    Log& log_;
    Asker asker_;
    ProgrammingOutcome& outcome_;
    bool hastens_ = false;
    std::uint32_t end_ports_in_flight_ = 0;
    std::uint64_t end_ports_moved_us_ = 0;
};

}  // namespace ember
