// SPDX-License-Identifier: Apache-2.0
// EmberSM: what is under way to devices in a round of Sets, in two lanes, and what has failed.

#include "core/programming/round_asker.h"

#include "core/fabric/untrusted_switches.h"
#include "core/port_tables/devices.h"

namespace ember {

static_assert(LftBlocks(kTopUnicastLid) <= RoundAsker::kEndPortLane,
              "a block's number has other bits");

RoundAsker::RoundAsker(const Parts& parts, const Settings& settings, ProgrammingOutcome& outcome)
    : fabric_(parts.fabric),
      log_(parts.log),
      asker_(parts.fabric, parts.exchange, settings, kProgrammingClient),
      outcome_(outcome) {}

void RoundAsker::Abandon() {
    asker_.Abandon();
    end_ports_in_flight_ = 0;
}

bool RoundAsker::IsOfHost(PortIndex at) const {
    EMBER_ASSERT(at != kNoPortIndex);
    const Node& node = fabric_.node(fabric_.port(at).node);
    return at != fabric_.own_port() &&
           (node.type != NodeType::kSwitch || IsUntrustedSwitch(fabric_, node));
}

bool RoundAsker::IsOfHostLink(PortIndex at) const {
    const Port& port = fabric_.port(at);
    if (IsOfHost(at)) return true;
    if (at == fabric_.own_port() || port.number == kManagementPort) return false;
    return port.peer == kNoPortIndex || IsOfHost(port.peer);
}

bool RoundAsker::Prepare(PortIndex at, AttributeId attribute, Ask& ask) {
    EMBER_ASSERT(at != kNoPortIndex);
    ask.attribute = attribute;
    if (asker_.FindPath(at, ask)) return true;
    CountFailure(at, Status::kUnreachable);
    return false;
}

void RoundAsker::Post(Ask& ask, Kind kind, std::uint32_t subject, std::uint64_t now_us) {
    EMBER_ASSERT(ask.method == Method::kGet || ask.method == Method::kSet);
    EMBER_ASSERT((ask.cookie.detail & kEndPortLane) == 0);
    bool is_of_host = false;
    bool is_untrusted = false;
    if (ask.attribute == AttributeId::kPortInfo) {
        is_of_host = IsOfHost(static_cast<PortIndex>(subject));
        if (is_of_host) ask.cookie.detail |= kEndPortLane;
    } else {  // Tables have no such lane: an untrusted switch is given less time.
        const Switch& row = fabric_.switch_row(static_cast<SwitchIndex>(subject));
        is_untrusted = IsUntrustedSwitch(fabric_, fabric_.node(row.node));
    }
    const std::uint8_t tries = ask.tries;
    if (is_untrusted || (hastens_ && !is_of_host)) asker_.Hasten(ask);
    if (tries != 0) ask.tries = tries;
    asker_.Post(ask, kind, subject, now_us);
    if (!is_of_host) return;
    ++end_ports_in_flight_;
    EMBER_ASSERT(end_ports_in_flight_ <= asker_.in_flight());
    end_ports_moved_us_ = now_us;
}

bool RoundAsker::Take(const Answer& answer, std::uint64_t now_us) {
    const bool is_of_host =
        answer.attribute == AttributeId::kPortInfo && (answer.cookie.detail & kEndPortLane) != 0;
    const std::uint32_t lane = is_of_host ? end_ports_in_flight_ : in_flight();
    if (lane == 0 || !asker_.Take()) return false;
    if (is_of_host) {
        --end_ports_in_flight_;
        end_ports_moved_us_ = now_us;
    }
    EMBER_ASSERT(end_ports_in_flight_ <= asker_.in_flight());
    return true;
}

void RoundAsker::CountFailure(PortIndex at, Status status) {
    EMBER_ASSERT(at != kNoPortIndex);
    const bool is_silent = status == Status::kTimeout && !IsOfHost(at);
    if (is_silent) ++outcome_.unanswered;
    if (is_silent || !IsOfHostLink(at)) {
        ++outcome_.failed;
        return;
    }
    fabric_.port(at).touched = true;  // The next round tries again, whatever it is about.
    if (outcome_.end_ports_failed++ != 0) return;
    const PortIndex peer = fabric_.port(at).peer;
    const bool is_switch_port = !IsOfHost(at) && peer != kNoPortIndex;
    outcome_.failed_end_port = EndOf(fabric_, is_switch_port ? peer : at);
}

void RoundAsker::Fail(const Answer& answer, PortIndex at, std::uint64_t now_us) {
    CountFailure(at, answer.status);
    LogFailure(fabric_, at, answer, log_, now_us);
}

}  // namespace ember
