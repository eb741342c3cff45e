// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a question asks of a path.
#include "core/administration/paths/path_wish.h"

namespace ember {
namespace {

/// Brings a path's value to what is asked of it. `below` gives the next smaller value, or Value{}.
/// `exact`: a path with more has it as well, because less can be used of it.
template <typename Value, typename Rank, typename Below>
[[nodiscard]] bool Fit(const Wanted<Value>& wanted, Value& value, Rank rank, Below below) {
    if (!wanted.asked) return true;
    switch (wanted.selector) {
        case Selector::kAbove:
            return rank(value) > rank(wanted.value);
        case Selector::kBelow:
            if (rank(value) >= rank(wanted.value)) value = below(wanted.value);
            return value != Value{};
        case Selector::kExactly:
        case Selector::kBest:
            break;
    }
    return true;
}

}  // namespace

SaStatus PathWish::Check() const {
    if (rate.asked && !IsRate(rate.value)) return SaStatus::kRequestInvalid;
    if (mtu.asked && (mtu.value < Mtu::k256 || mtu.value > Mtu::k4096)) {
        return SaStatus::kRequestInvalid;
    }
    return SaStatus::kOk;
}

bool FitMtu(const Wanted<Mtu>& wanted, Mtu& mtu) {
    if (wanted.asked && wanted.selector == Selector::kExactly) {
        if (mtu < wanted.value) return false;
        mtu = wanted.value;  // Smaller packets always pass.
        return true;
    }
    const auto rank = [](Mtu value) { return value; };
    const auto below = [](Mtu value) { return static_cast<Mtu>(static_cast<unsigned>(value) - 1); };
    return Fit(wanted, mtu, rank, below);
}

bool FitRate(const Wanted<Rate>& wanted, Rate& rate) {
    if (wanted.asked && wanted.selector == Selector::kExactly) return rate == wanted.value;
    return Fit(wanted, rate, RateRank, NextSlower);
}

bool FitLifeTime(const Wanted<std::uint8_t>& wanted, std::uint8_t& life_time) {
    if (!wanted.asked) return true;
    switch (wanted.selector) {
        case Selector::kAbove:
            return life_time > wanted.value;
        case Selector::kBelow:
            if (life_time < wanted.value) return true;
            if (wanted.value <= 1) return false;  // 0 is for what does not leave its port.
            life_time = static_cast<std::uint8_t>(wanted.value - 1);
            return true;
        case Selector::kExactly:
            if (life_time < wanted.value) return false;
            life_time = wanted.value;
            return true;
        case Selector::kBest:
            break;
    }
    return true;
}

}  // namespace ember
