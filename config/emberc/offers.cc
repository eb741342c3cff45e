// SPDX-License-Identifier: Apache-2.0
// EmberSM: what `emberc check` offers.

#include "config/emberc/offers.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "config/emberc/keys.h"

namespace ember::emberc {
namespace {

struct Offer {
    std::string_view key;
    std::string_view use;
};

constexpr std::array kOffers = {
    Offer{"edge_ports",
          "with the ports of switches that have a host behind them: a host that plays a switch, or "
          "a subnet manager, is left alone there"},
};

}  // namespace

std::vector<std::string> OffersFor(const Configuration& read) {
    std::vector<std::string> sentences;
    const std::vector<Value> values = read.values();
    for (const Offer& offer : kOffers) {
        const Value& value = values[*FindKey(offer.key)];
        if (value.set && !value.text.empty()) continue;
        sentences.push_back(fmt::format("you may set {} {}", offer.key, offer.use));
    }
    return sentences;
}

}  // namespace ember::emberc
