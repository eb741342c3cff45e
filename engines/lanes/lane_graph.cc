// SPDX-License-Identifier: Apache-2.0
// EmberSM: what waits for what on one lane, kept free of cycles.

#include "engines/lanes/lane_graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/base/assert.h"

namespace ember {
namespace {

/// For few elements.
template <typename Less>
void InsertionSort(std::span<LaneLinks::Link> links, const Less& less) {
    for (std::size_t i = 1; i < links.size(); ++i) {
        const LaneLinks::Link link = links[i];
        std::size_t to = i;
        for (; to > 0 && less(link, links[to - 1]); --to) {
            links[to] = links[to - 1];
        }
        links[to] = link;
    }
}

/// Cuts in two at the median of first, middle and last: nothing in the one is behind any of the
/// other. Returns how many come first, 1..size-1.
template <typename Less>
std::size_t Cut(std::span<LaneLinks::Link> links, const Less& less) {
    LaneLinks::Link first = links.front();
    LaneLinks::Link pivot = links[links.size() / 2];
    LaneLinks::Link last = links.back();
    if (less(pivot, first)) std::swap(pivot, first);
    if (less(last, pivot)) std::swap(last, pivot);
    if (less(pivot, first)) std::swap(pivot, first);
    std::size_t left = 0;
    std::size_t right = links.size() - 1;
    for (;; ++left, --right) {  // Ends: there is one that is not less, and one that is not more.
        while (less(links[left], pivot))
            ++left;
        while (less(pivot, links[right]))
            --right;
        if (left >= right) return right + 1;
        std::swap(links[left], links[right]);
    }
}

/// Not by std::sort, which is recursive. A part that is cut badly too often is sorted by a heap.
template <typename Less>
void Sort(std::span<LaneLinks::Link> links, const Less& less) {
    constexpr std::size_t kFew = 16;
    constexpr std::size_t kMostParts = 32;  // The smaller part is at most a half: enough for 2^32.
    constexpr std::size_t kMostCuts = 64;
    struct Part {
        std::span<LaneLinks::Link> links;
        std::size_t cuts = 0;
    };
    std::array<Part, kMostParts> open{};
    std::size_t count = 0;
    Part part{.links = links};
    for (;;) {  // Ends: each part is cut at most kMostCuts times.
        if (part.links.size() > kFew && part.cuts < kMostCuts) {
            const std::size_t cut = Cut(part.links, less);
            Part one{.links = part.links.first(cut), .cuts = part.cuts + 1};
            Part other{.links = part.links.subspan(cut), .cuts = part.cuts + 1};
            if (one.links.size() > other.links.size()) std::swap(one, other);
            open[count++] = other;
            part = one;
            continue;
        }
        if (part.links.size() <= kFew) {
            InsertionSort(part.links, less);
        } else {
            std::make_heap(part.links.begin(), part.links.end(), less);
            std::sort_heap(part.links.begin(), part.links.end(), less);
        }
        if (count == 0) return;
        part = open[--count];
    }
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
    saved_ = {.links = scratch.Take<Link>(links),
              .words = scratch.Take<std::uint64_t>(links * row_words_),
              .is_in = scratch.Take<std::uint64_t>(RowWords(links))};
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
    remembers_ = false;
}

bool LaneGraph::Add(Link held, Link wanted) {
    if (Has(held, wanted)) return true;
    const std::size_t bit = BitOf(held, wanted);
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    if (remembers_ && (RefusalOf(held, wanted) & mask) != 0) return false;
    if (place_[held] > place_[wanted] && !MakeRoom(held, wanted)) {
        if (remembers_) RefusalOf(held, wanted) |= mask;
        return false;
    }
    if (!remembers_) Save(held);
    RowOf(held)[bit / 64] |= mask;
    return true;
}

/// A row is saved when a trial changes it for the first time.
void LaneGraph::Save(Link held) {
    LaneLinks::Saved& saved = links_->saved_;
    const std::uint64_t bit = std::uint64_t{1} << (held % 64);
    if ((saved.is_in[held / 64] & bit) != 0) return;
    saved.is_in[held / 64] |= bit;
    EMBER_ASSERT(saved.count < saved.links.size());
    saved.links[saved.count] = held;
    const auto row = RowOf(held);
    std::copy(row.begin(), row.end(),
              saved.words.begin() + static_cast<std::ptrdiff_t>(saved.count * row.size()));
    ++saved.count;
}

void LaneGraph::RememberRefusals() {
    remembers_ = true;
    const auto& words = links_->saved_.words;
    std::fill(words.begin(), words.end(), 0);
}

void LaneGraph::BeginTrial() {
    EMBER_ASSERT(!remembers_);
    LaneLinks::Saved& saved = links_->saved_;
    for (const Link link : saved.links.first(saved.count)) {
        saved.is_in[link / 64] = 0;
    }
    saved.count = 0;
}

void LaneGraph::TakeBack() {
    LaneLinks::Saved& saved = links_->saved_;
    for (std::size_t i = 0; i < saved.count; ++i) {
        const auto row = RowOf(saved.links[i]);
        std::copy_n(saved.words.begin() + static_cast<std::ptrdiff_t>(i * row.size()), row.size(),
                    row.begin());
    }
    BeginTrial();
}

/// Moves links so that `held` comes before `wanted`. False: they wait for each other.
bool LaneGraph::MakeRoom(Link held, Link wanted) {
    ++links_->marks_;
    if (!SearchBehind(wanted, held)) return false;
    SearchBefore(held, place_[wanted]);
    Reorder();
    return true;
}

/// Finds what `from` waits for, itself included, up to the place of `held`. False: `held` is met.
bool LaneGraph::SearchBehind(Link from, Link held) {
    const auto& found = links_->found_;
    const std::uint32_t most = place_[held];
    behind_count_ = 0;
    found[behind_count_++] = from;
    links_->mark_[from] = links_->marks_;
    for (std::size_t i = 0; i < behind_count_; ++i) {
        if (!LookBehind(found[i], held, most)) return false;
    }
    return true;
}

/// Finds what one link waits for. False: `held` is met.
bool LaneGraph::LookBehind(Link at, Link held, std::uint32_t most) {
    const Link first = links_->FirstFrom(links_->far_[at]);
    const auto row = RowOf(at);
    for (std::size_t word = 0; word < row.size(); ++word) {
        for (std::uint64_t rest = row[word]; rest != 0; rest &= rest - 1) {
            ++steps_;
            const Link next =
                first + static_cast<Link>(word * 64) + static_cast<Link>(std::countr_zero(rest));
            if (next == held) return false;
            if (place_[next] > most || links_->mark_[next] == links_->marks_) continue;
            links_->mark_[next] = links_->marks_;
            links_->found_[behind_count_++] = next;
        }
    }
    return true;
}

/// Finds what waits for `from`, itself included, back to the place `least`.
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
/// order that it has. Their old places stand where marks stood, so that those are in order too.
void LaneGraph::Reorder() {
    const auto by_place = [this](Link one, Link other) { return place_[one] < place_[other]; };
    const auto before = links_->found_.last(before_count_);
    const auto behind = links_->found_.first(behind_count_);
    Sort(before, by_place);
    Sort(behind, by_place);
    constexpr std::size_t kSortingSteps = 4;
    steps_ += kSortingSteps * (before.size() + behind.size());
    const auto& old = links_->mark_;
    for (const auto side : {before, behind}) {
        for (const Link link : side) {
            old[link] = place_[link];
        }
    }
    std::size_t left = 0;
    std::size_t right = 0;
    for (const auto side : {before, behind}) {
        for (const Link link : side) {
            const bool is_left = right == behind.size() ||
                                 (left < before.size() && old[before[left]] < old[behind[right]]);
            place_[link] = is_left ? old[before[left++]] : old[behind[right++]];
        }
    }
    for (const auto side : {before, behind}) {
        for (const Link link : side) {
            old[link] = 0;  // No search has this number.
        }
    }
}

}  // namespace ember
