// SPDX-License-Identifier: Apache-2.0
// EmberSM: M_Keys over a bring-up: safe in the store, and changed port by port.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/time.h"
#include "core/exchange/asker.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/m_keys/known_m_keys.h"
#include "core/settings/settings.h"

namespace ember {

inline constexpr Client kMKeyClient{11};

/// Brings M_Keys into a state in which a round may begin.
///
/// First the rules must be safe in the store: a port that is given a key which a restart forgets is
/// lost. Then each port that has another key than it shall have gets it by a Set of its own, which
/// changes nothing else and bears the old key; until it is answered no other Set is on its way, as
/// that would bear the wrong key. A Set without an answer may have been carried out: the port is
/// asked with the new key, and what it says then counts. A port that says nothing keeps the key by
/// which it is known, and the next sweep tries both.
///
/// A port without a key gets its first one by the Set of its other values, before it is armed.
class MKeyUpkeep {
public:
    /// All outlive it.
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        Arena& scratch;  ///< Used inside one call only.
        KnownMKeys& keys;
    };

    MKeyUpkeep(const Parts& parts, const Settings& settings)
        : parts_(parts),
          settings_(settings),
          asker_(parts.fabric, parts.exchange, settings, kMKeyClient) {}
    MKeyUpkeep(const MKeyUpkeep&) = delete;
    MKeyUpkeep& operator=(const MKeyUpkeep&) = delete;

    /// Begins the changes of a round, after a sweep.
    void Begin();
    /// Asks as many ports as the window admits.
    void Step(std::uint64_t now_us);
    /// True when no port is left to be asked.
    [[nodiscard]] bool done() const { return at_end_ && asker_.in_flight() == 0; }
    /// True when Step() has nothing to do until a question is answered or given up, also one of
    /// another client. Not so while the store is slow: it gets on when it is asked again.
    [[nodiscard]] bool awaits_answers() const {
        if (!parts_.keys.is_safe()) return false;
        const bool may_ask = row_ < parts_.fabric.port_bound() || unchecked_ != kNoPortIndex;
        return may_ask ? !asker_.has_room() : asker_.in_flight() != 0;
    }
    void Hear(const Answer& answer, std::uint64_t now_us);
    void Abandon();

    /// Writes what has changed of the rules and of the routes to ports. A slow store is asked again
    /// by SaveAgain(), at NextDeadlineUs().
    void Save(std::uint64_t now_us);
    void SaveAgain(std::uint64_t now_us) {
        if (now_us >= save_again_us_) Save(now_us);
    }
    [[nodiscard]] std::uint64_t NextDeadlineUs() const { return save_again_us_; }

    /// Ports that were given another key in the last round, and those that did not take it.
    [[nodiscard]] std::uint32_t changed() const { return changed_; }
    [[nodiscard]] std::uint32_t failed() const { return failed_; }

private:
    enum class Kind : std::uint8_t { kSet, kCheck };

    [[nodiscard]] std::uint64_t WantedOf(const Port& port) const;
    void Change(PortIndex at, std::uint64_t now_us);
    void Check(PortIndex at, std::uint64_t now_us);
    void Take(PortIndex at, const PortInfo& info, std::uint64_t now_us);
    void End(std::uint64_t now_us);

    Parts parts_;
    const Settings& settings_;
    Asker asker_;
    std::size_t row_ = 0;
    PortIndex unchecked_ = kNoPortIndex;  ///< Its check waits for room in the window.
    bool at_end_ = true;
    std::uint32_t changed_ = 0;
    std::uint32_t failed_ = 0;
    std::uint64_t save_again_us_ = kNever;
};

}  // namespace ember
