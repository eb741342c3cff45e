// SPDX-License-Identifier: Apache-2.0
// EmberSM: what waits for what on one lane, kept free of cycles.

#include "engines/sssp/lane_graph.h"

#include <algorithm>
#include <bit>

#include "core/base/assert.h"

namespace ember {
namespace {

/// Not by std::sort, which is recursive.
template <typename Less>
void Sort(std::span<LaneLinks::Link> links, const Less& less) {
    std::make_heap(links.begin(), links.end(), less);
    std::sort_heap(links.begin(), links.end(), less);
}

}  // namespace

void LaneLinks::Begin(const Topology& topology, Arena& scratch) {
    topology_ = &topology;
    std::size_t links = 0;
    std::size_t most = 1;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        links = std::max<std::size_t>(links, FirstFrom(at) + CountFrom(at));
        most = std::max(most, CountFrom(at));
    }
    row_words_ = RowWords(most);
    by_exit_ = scratch.Take<Link>(topology.all_exits().size());
    far_ = scratch.Take<SwitchIndex>(links);
    back_ = scratch.Take<Link>(links);
    mark_ = scratch.Take<std::uint32_t>(links);
    found_ = scratch.Take<Link>(links);
    pool_ = scratch.Take<Link>(links);
    saved_ = {.links = scratch.Take<Link>(links),
              .words = scratch.Take<std::uint64_t>(links * row_words_)};
    marks_ = 0;
    std::fill(by_exit_.begin(), by_exit_.end(), kNoLink);
    for (const SwitchIndex at : topology.switches_by_guid()) {
        Link link = FirstFrom(at);
        for (const Trunk& trunk : topology.trunks(at)) {
            far_[link] = trunk.peer;
            by_exit_[topology.switch_row(at).first_exit + std::size_t{Raw(trunk.port)}] = link++;
        }
    }
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            back_[Of(at, Raw(trunk.port))] = Of(trunk.peer, Raw(trunk.peer_port));
        }
    }
}

void LaneGraph::Begin(LaneLinks& links, Arena& scratch) {
    links_ = &links;
    waits_ = scratch.Take<std::uint64_t>(links.count() * links.row_words_);
    place_ = scratch.Take<std::uint32_t>(links.count());
    for (std::size_t i = 0; i < place_.size(); ++i) {
        place_[i] = static_cast<std::uint32_t>(i);
    }
    steps_ = 0;
}

bool LaneGraph::Add(Link held, Link wanted) {
    if (Has(held, wanted)) return true;
    if (place_[held] > place_[wanted] && !MakeRoom(held, wanted)) return false;
    Save(held);
    const std::size_t bit = BitOf(held, wanted);
    RowOf(held)[bit / 64] |= std::uint64_t{1} << (bit % 64);
    return true;
}

/// A row is saved once for each of its changes: taken back last first, the oldest counts.
void LaneGraph::Save(Link held) {
    LaneLinks::Saved& saved = links_->saved_;
    if (saved.count > 0 && saved.links[saved.count - 1] == held) return;
    for (std::size_t i = 0; i < saved.count; ++i) {
        if (saved.links[i] == held) return;
    }
    EMBER_ASSERT(saved.count < saved.links.size());
    saved.links[saved.count] = held;
    const auto row = RowOf(held);
    std::copy(row.begin(), row.end(),
              saved.words.begin() + static_cast<std::ptrdiff_t>(saved.count * row.size()));
    ++saved.count;
}

void LaneGraph::BeginTrial() {
    links_->saved_.count = 0;
}

void LaneGraph::TakeBack() {
    LaneLinks::Saved& saved = links_->saved_;
    for (std::size_t i = 0; i < saved.count; ++i) {
        const auto row = RowOf(saved.links[i]);
        std::copy_n(saved.words.begin() + static_cast<std::ptrdiff_t>(i * row.size()), row.size(),
                    row.begin());
    }
    saved.count = 0;
}

/// Moves links so that `held` comes before `wanted`. False: they wait for each other.
bool LaneGraph::MakeRoom(Link held, Link wanted) {
    ++links_->marks_;
    if (!SearchBehind(wanted, held)) return false;
    SearchBefore(held, place_[wanted]);
    Reorder();
    return true;
}

/// What `from` waits for, itself included, as far as the place of `held`. False: `held` is met.
bool LaneGraph::SearchBehind(Link from, Link held) {
    const auto& found = links_->found_;
    behind_count_ = 0;
    found[behind_count_++] = from;
    links_->mark_[from] = links_->marks_;
    for (std::size_t i = 0; i < behind_count_; ++i) {
        const Link at = found[i];
        Link first = links_->FirstFrom(links_->far_[at]);
        for (const std::uint64_t word : RowOf(at)) {
            if (!Find(word, first, held)) return false;
            first += 64;
        }
    }
    return true;
}

/// Those of a word of a row, the first of which is `first`. False: `held` is one of them.
bool LaneGraph::Find(std::uint64_t word, Link first, Link held) {
    for (; word != 0; word &= word - 1) {
        ++steps_;
        const Link next = first + static_cast<Link>(std::countr_zero(word));
        if (next == held) return false;
        if (place_[next] > place_[held] || links_->mark_[next] == links_->marks_) continue;
        links_->mark_[next] = links_->marks_;
        links_->found_[behind_count_++] = next;
    }
    return true;
}

/// What waits for `from`, itself included, back to the place `least`.
void LaneGraph::SearchBefore(Link from, std::uint32_t least) {
    const auto& found = links_->found_;
    const std::size_t last = found.size() - 1;
    before_count_ = 0;
    found[last - before_count_++] = from;
    links_->mark_[from] = links_->marks_;
    for (std::size_t i = 0; i < before_count_; ++i) {
        const Link at = found[last - i];
        const SwitchIndex near = links_->far_[links_->back_[at]];
        const Link first = links_->FirstFrom(near);
        for (std::size_t j = 0; j < links_->CountFrom(near); ++j) {
            ++steps_;
            const Link into = links_->back_[first + j];
            if (place_[into] < least || links_->mark_[into] == links_->marks_) continue;
            if (!Has(into, at)) continue;
            links_->mark_[into] = links_->marks_;
            found[last - before_count_++] = into;
        }
    }
}

/// Gives the places of all that were found to those before, then to those behind, each side in the
/// order that it has.
void LaneGraph::Reorder() {
    const auto by_place = [this](Link one, Link other) { return place_[one] < place_[other]; };
    const auto before = links_->found_.last(before_count_);
    const auto behind = links_->found_.first(behind_count_);
    Sort(before, by_place);
    Sort(behind, by_place);
    const auto pool = links_->pool_.first(before_count_ + behind_count_);
    std::size_t count = 0;
    for (const Link link : before) {
        pool[count++] = place_[link];
    }
    for (const Link link : behind) {
        pool[count++] = place_[link];
    }
    Sort(pool, [](Link one, Link other) { return one < other; });
    count = 0;
    for (const Link link : before) {
        place_[link] = pool[count++];
    }
    for (const Link link : behind) {
        place_[link] = pool[count++];
    }
}

}  // namespace ember
