// SPDX-License-Identifier: Apache-2.0
// EmberSM: PortInfo of each port, and links to ACTIVE.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/fabric/port_plan.h"
#include "core/log/log.h"
#include "core/programming/programming_outcome.h"
#include "core/programming/round_asker.h"
#include "core/programming/stage_progress.h"

namespace ember {

/// Sets each port that is not as planned, ARMED included where the link is in
/// INIT: one Set a port. Later, when tables are written, links go to ACTIVE.
///
/// No stage waits for hosts and routers, but activation, which begins when
/// answers should be in (Exchange::linger_us()), and ends kEndPortsUs later if
/// some are not, or at once if it is hurried. A port that answers later, until
/// the next sweep begins, is made ACTIVE then.
class PortProgramming {
public:
    struct Parts {
        Fabric& fabric;
        const Exchange& exchange;
        Log& log;
        const PortPlanner& planner;
        RoundAsker& asker;
        ProgrammingOutcome& outcome;
    };
    /// How long the end of activation waits for hosts and routers, from when one
    /// was heard last: a try may be lost.
    static constexpr std::uint32_t kEndPortsUs = 250'000;

    explicit PortProgramming(const Parts& parts) : parts_(parts) {}
    PortProgramming(const PortProgramming&) = delete;
    PortProgramming& operator=(const PortProgramming&) = delete;

    /// `all_reregister`: every client that can shall register again.
    /// `only_touched`: only ports that are touched (see Port) may differ.
    void BeginRound(bool all_reregister, bool only_touched);
    /// In this round: a Set that comes late asks the clients of the port to register again, as
    /// another subnet manager may have set the port since we did. `read_us`: when the sweep before
    /// had read all ports; an election may have followed it.
    void MindOthers(std::uint64_t read_us) {
        minds_others_ = true;
        read_us_ = read_us;
    }
    /// Whether a sweep waits for the end of the round. Until the next call.
    void Hurry(bool hurried) { hurried_ = hurried; }
    /// The settings changed: fields that devices did not keep are set once more.
    void ForgetUnkept();

    /// Starts with the Sets that ports need before the tables are written.
    void Begin() { Start(false); }
    void BeginActivation() { Start(true); }
    /// Sends what the window admits; looks at a bounded number of ports.
    [[nodiscard]] StageProgress Step(std::uint64_t now_us);
    /// Takes an answer to a question for PortInfo, in whatever stage.
    void Hear(const Answer& answer, std::uint64_t now_us);
    /// When Step(), which waits for end ports, goes on without their answers.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const {
        return parts_.asker.end_ports_in_flight() == 0 ? kNever : EndPortsDueUs();
    }

private:
    using Kind = RoundAsker::Kind;
    /// A Set to a port is late after this time: no other subnet manager takes over within it from
    /// one that goes on speaking.
    static constexpr std::uint64_t kLateUs = 400'000;
    /// Ports looked at in one Step().
    static constexpr std::size_t kRowsAtOnce = 4096;

    void Start(bool is_activation);
    [[nodiscard]] bool IsOnOwnPath(PortIndex at) const;
    [[nodiscard]] std::uint64_t EndPortsDueUs() const;
    [[nodiscard]] bool AwaitsEndPorts(std::uint64_t now_us) const {
        return parts_.asker.end_ports_in_flight() != 0 && now_us < EndPortsDueUs();
    }
    /// A Set writes our LID into MasterSMLID. Where another master has set the port meanwhile, its
    /// clients registered there, and nothing would show that.
    [[nodiscard]] bool IsLate(std::uint64_t now_us) const {
        return minds_others_ && now_us >= read_us_ + kLateUs;
    }
    void LookAt(PortIndex at, std::uint64_t now_us);
    void Set(PortIndex at, std::uint64_t now_us);
    void Enforce(PortIndex at, std::uint64_t now_us);
    void PostPlan(PortIndex at, const PortPlan& plan, std::uint64_t now_us);
    void Activate(PortIndex at, std::uint64_t now_us);

    void OnSetAnswer(const Answer& answer, std::uint64_t now_us);
    void OnSetChecked(const Answer& answer, std::uint64_t now_us);
    [[nodiscard]] bool Check(Kind kind, const Answer& answer, std::uint64_t now_us);
    void Take(PortIndex at, PortState wanted, const PortInfo& kept, std::uint64_t now_us);
    void OnActivation(const Answer& answer, std::uint64_t now_us);
    void OnActivationChecked(const Answer& answer, std::uint64_t now_us);
    void NoteReregister(const Port& port, std::uint64_t now_us);
    void NoteStateFailed(const Port& port, PortState wanted, std::uint64_t now_us);

    Parts parts_;
    bool is_activation_ = false;  ///< The stage, of the two.
    std::size_t row_ = 0;         ///< Cursor.
    bool all_reregister_ = false;
    bool only_touched_ = false;
    bool minds_others_ = false;
    bool hurried_ = false;
    bool activates_ = false;          ///< In this round links may go to ACTIVE.
    std::uint64_t read_us_ = 0;       ///< As MindOthers() said.
    std::uint8_t unkept_rounds_ = 0;  ///< Since unkept fields were set again.
};

}  // namespace ember
