// SPDX-License-Identifier: Apache-2.0
// EmberSM: in which order the tables of many ports change, so that no wrong pair ever communicates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/wire/p_key_table.h"

namespace ember {

/// A change of partitions takes four steps. Each ends on all ports before the next begins.
///
/// Two ports may communicate when both hold a P_Key of one base, and one of them the full one.
/// While ports change one after another, a pair must not communicate that neither may before nor
/// may afterwards, and a pair that may at both times must not be cut off. In this order neither
/// can happen. A port that rises before another one leaves would meet it; a port that joins as
/// a limited member before another one falls likewise; and of two members that exchange their
/// roles the one that rises has to be first.
enum class PKeyStep : std::uint8_t {
    kLeave,  ///< P_Keys of which the port is no member any more go.
    kRise,   ///< Limited members become full ones.
    kFall,   ///< Full members become limited ones.
    kJoin,   ///< P_Keys of which the port was no member come.
};
inline constexpr std::size_t kPKeySteps = 4;
inline constexpr std::array<PKeyStep, kPKeySteps> kAllPKeySteps{PKeyStep::kLeave, PKeyStep::kRise,
                                                                PKeyStep::kFall, PKeyStep::kJoin};

/// The bit of a step in PKeysAfter()'s answer.
[[nodiscard]] constexpr std::uint32_t BitOf(PKeyStep step) {
    return 1U << static_cast<unsigned>(step);
}

/// Writes to `next` what a port's table shall hold after `step` and those before it, when it has
/// `has` and shall have `wanted` in the end. All three are of one length.
///
/// Answers with the bits of later steps that change something. With no bit set `next` is `wanted`.
/// A P_Key that moves to another index does so in the first step. Takes the square of the length in
/// time.
std::uint32_t PKeysAfter(PKeyStep step, std::span<const std::uint16_t> has,
                         std::span<const std::uint16_t> wanted, std::span<std::uint16_t> next);

}  // namespace ember
