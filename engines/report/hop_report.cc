// SPDX-License-Identifier: Apache-2.0
// EmberSM: hops by port, as OpenSM keeps them under each engine.

#include "engines/report/hop_report.h"

#include <limits>

#include "core/base/assert.h"
#include "engines/up_down/up_down_finder.h"

namespace ember {

void HopReport::Begin(const Case& given, Arena& scratch) {
    case_ = given;
    scratch_ = &scratch;
    topology_.Build(*given.fabric, given.options->order, scratch);
    task_ = {.topology = &topology_,
             .options = given.options,
             .hops = given.hops,
             .tables = {},
             .scratch = &scratch};
    WeighLinks();
    first_row_ = 0;
    end_row_ = 0;
    phase_ = Phase::kReady;
    const bool has_matrix = given.engine == EngineKind::kFile && given.options->tables.has_matrix;
    reads_ = has_matrix && file_.Begin(task_) == Status::kOk;
    if (reads_) phase_ = Phase::kFile;
    searches_ = given.engine == EngineKind::kUpDn || given.engine == EngineKind::kDnUp;
    if (!searches_) return;
    rule_ = given.engine == EngineKind::kUpDn ? UpDownRule::kFromRoots : UpDownRule::kFromLeaves;
    levels_.Begin(task_, rule_);
    phase_ = Phase::kLevels;
}

void HopReport::WeighLinks() {
    TrunkWeights trunk_weights;
    weights_ = scratch_->Take<std::uint8_t>(topology_.all_exits().size());
    std::fill(weights_.begin(), weights_.end(), std::uint8_t{1});
    const Arena::Frame frame(*scratch_);
    trunk_weights.Begin(topology_, case_.options->tables.hop_weights, *scratch_);
    if (trunk_weights.empty()) return;
    for (const SwitchIndex at : topology_.switches_by_guid()) {
        const auto trunks = topology_.trunks(at);
        for (std::size_t i = 0; i < trunks.size(); ++i) {
            const std::size_t exit = topology_.switch_row(at).first_exit + Raw(trunks[i].port);
            weights_[exit] = trunk_weights.of(at)[i];
        }
    }
}

void HopReport::WorkOn(std::size_t row) {
    if (Has(row)) return;
    switch (phase_) {
        case Phase::kFile: {
            const Result<Progress> progress = file_.Prepare();
            reads_ = progress.ok();
            if (!reads_ || progress.value() == Progress::kDone) phase_ = Phase::kReady;
            return;
        }
        case Phase::kLevels:
            if (levels_.Advance() == Progress::kMore) return;
            mark_ = scratch_->used_bytes();
            phase_ = Phase::kReady;
            return;
        case Phase::kReady:
            BeginSearch(row);
            phase_ = Phase::kSearch;
            return;
        case Phase::kSearch:
            break;
    }
    const Progress progress = search_.Advance();
    if (search_.is_at_destination()) KeepOffers();
    if (progress == Progress::kDone) phase_ = Phase::kReady;
}

/// For as many switches of the order as there is room for, from `row` on.
void HopReport::BeginSearch(std::size_t row) {
    const std::size_t bound = topology_.switch_bound();
    scratch_->Rewind(mark_);
    search_.Begin({.task = task_,
                   .levels = &levels_,
                   .rule = rule_,
                   .turns = TurnsOf(*case_.options, levels_, rule_),
                   .hops = {},
                   .stops = true});
    place_ = scratch_->Take<std::uint32_t>(bound);
    const std::size_t room =
        std::min<std::size_t>(scratch_->size_bytes() - scratch_->used_bytes() - Arena::kGrain,
                              std::numeric_limits<std::uint32_t>::max());
    std::size_t octets = 0;
    first_row_ = row;
    for (end_row_ = row; end_row_ < case_.order.size(); ++end_row_) {
        const SwitchIndex at = case_.order[end_row_];
        if (octets + bound * width(at) > room) break;
        place_[Raw(at)] = static_cast<std::uint32_t>(octets);
        octets += bound * width(at);
    }
    EMBER_ASSERT(end_row_ > row);
    kept_ = scratch_->Take<std::uint8_t>(octets);
}

/// Of the destination that the search has come to.
void HopReport::KeepOffers() {
    const SwitchIndex to = search_.destination();
    for (std::size_t row = first_row_; row < end_row_; ++row) {
        const SwitchIndex at = case_.order[row];
        const auto offers = search_.OffersTo(at);
        std::uint8_t* const kept = &kept_[place_[Raw(at)] + Raw(to) * width(at)];
        std::copy(offers.begin(), offers.end(), kept);
        kept[0] = search_.LeastOf(at);
    }
}

std::uint8_t HopReport::Hops(SwitchIndex at, SwitchIndex to, std::size_t port) const {
    if (port >= width(at)) return kNoHops;
    if (searches_) {
        EMBER_ASSERT(phase_ == Phase::kReady);
        return kept_[place_[Raw(at)] + Raw(to) * width(at) + port];
    }
    return reads_ ? HopsByFile(at, to, port) : HopsByNeighbor(at, to, port);
}

std::uint8_t HopReport::HopsByNeighbor(SwitchIndex at, SwitchIndex to, std::size_t port) const {
    if (port == 0) return case_.hops[at][Raw(to)];
    const SwitchIndex peer = topology_.exits(at)[port].peer;
    if (peer == kNoSwitch || peer == at) return kNoHops;
    const unsigned beyond = case_.hops[peer][Raw(to)];
    const unsigned hops = beyond + weights_[topology_.switch_row(at).first_exit + port];
    return hops < kNoHops ? static_cast<std::uint8_t>(hops) : kNoHops;
}

std::uint8_t HopReport::HopsByFile(SwitchIndex at, SwitchIndex to, std::size_t port) const {
    const auto row = file_.HopsOf(at, to);
    if (port >= row.size()) return kNoHops;
    return port == 0 ? *std::min_element(row.begin(), row.end()) : row[port];
}

}  // namespace ember
