// SPDX-License-Identifier: Apache-2.0
// EmberSM: what waits for what on one lane, kept free of cycles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"

namespace ember {

/// The links between switches by number, in each direction one, and the memory that the graphs of
/// all lanes share.
class LaneLinks {
public:
    using Link = std::uint32_t;
    static constexpr Link kNoLink = 0xFFFF'FFFF;

    /// Words of a row with a bit for each link out of a switch.
    [[nodiscard]] static constexpr std::size_t RowWords(std::size_t most_links) {
        return (most_links + 63) / 64;
    }
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        const std::size_t links = limits.max_ports;
        return 5 * Arena::BytesFor<Link>(links) + Arena::BytesFor<std::uint64_t>(RowWords(links)) +
               2 * Arena::BytesFor<std::uint64_t>(links * RowWords(limits.max_switch_ports)) +
               Arena::BytesFor<SwitchIndex>(links);
    }
    /// The same for this topology.
    [[nodiscard]] static std::size_t ScratchBytes(const Topology& topology) {
        return ScratchBytes(topology.bounds());
    }

    constexpr LaneLinks() = default;
    LaneLinks(const LaneLinks&) = delete;
    LaneLinks& operator=(const LaneLinks&) = delete;

    void Begin(const Topology& topology, Arena& scratch);

    /// The link out of a switch by a port; kNoLink: it leads to no switch.
    [[nodiscard]] Link Of(SwitchIndex at, std::uint8_t port) const {
        return by_exit_[topology_->switch_row(at).first_exit + std::size_t{port}];
    }
    [[nodiscard]] SwitchIndex FarSwitch(Link link) const { return far_[link]; }
    /// The same cable in the other direction.
    [[nodiscard]] Link Back(Link link) const { return back_[link]; }
    [[nodiscard]] std::size_t count() const { return far_.size(); }

private:
    friend class LaneGraph;

    /// A row of a graph as it was before a change.
    struct Saved {
        std::span<Link> links;
        std::span<std::uint64_t> words;
        std::span<std::uint64_t> is_in;  ///< A bit for each link: it is among `links`.
        std::size_t count = 0;
    };

    [[nodiscard]] Link FirstFrom(SwitchIndex at) const {
        return topology_->switch_row(at).first_trunk;
    }
    [[nodiscard]] std::size_t CountFrom(SwitchIndex at) const {
        return topology_->switch_row(at).trunk_count;
    }

    const Topology* topology_ = nullptr;
    std::size_t row_words_ = 1;
    std::span<Link> by_exit_;
    std::span<SwitchIndex> far_;     ///< By link: the switch that it leads to.
    std::span<Link> back_;           ///< By link: the same cable in the other direction.
    std::span<std::uint32_t> mark_;  ///< By link: the search that has seen it; in between, a place.
    std::uint32_t marks_ = 0;
    /// Links that searches from a new wait have found: behind it from the front on, before it from
    /// the end on. Nothing is on both sides.
    std::span<Link> found_;
    Saved saved_;
};

/// Which links wait for which on one lane. Links have places such that each comes before all that
/// it waits for; a new wait against that order has those between moved, or closes a cycle and is
/// refused (Pearce and Kelly). So what is asked most, a wait that is known or along the order,
/// costs a look.
class LaneGraph {
    using Link = LaneLinks::Link;

public:
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        const std::size_t links = limits.max_ports;
        return Arena::BytesFor<std::uint64_t>(links *
                                              LaneLinks::RowWords(limits.max_switch_ports)) +
               Arena::BytesFor<std::uint32_t>(links);
    }

    constexpr LaneGraph() = default;
    LaneGraph(const LaneGraph&) = delete;
    LaneGraph& operator=(const LaneGraph&) = delete;

    /// Begins a graph without a wait. `links` outlives it.
    void Begin(LaneLinks& links, Arena& scratch);
    /// Packets that hold `held` wait for `wanted`, a link out of the switch that `held` leads to.
    /// False: that would close a cycle, and all is as it was.
    [[nodiscard]] bool Add(Link held, Link wanted);
    /// From now on a wait that was refused once is refused at a look, and nothing can be taken
    /// back: the memory for that is spent. Of all graphs over the same links one may be such a one.
    void RememberRefusals();
    /// Waits added from now on can be taken back, all of them at once.
    void BeginTrial();
    void TakeBack();
    /// The cost of searches since Begin(), in links looked at.
    [[nodiscard]] std::size_t steps() const { return steps_; }

private:
    [[nodiscard]] std::size_t BitOf(Link held, Link wanted) const {
        return wanted - links_->FirstFrom(links_->far_[held]);
    }
    [[nodiscard]] std::span<std::uint64_t> RowOf(Link held) const {
        return waits_.subspan(held * links_->row_words_, links_->row_words_);
    }
    [[nodiscard]] bool Has(Link held, Link wanted) const {
        const std::size_t bit = BitOf(held, wanted);
        return (waits_[held * links_->row_words_ + bit / 64] >> (bit % 64) & 1U) != 0;
    }
    [[nodiscard]] std::uint64_t& RefusalOf(Link held, Link wanted) const {
        return links_->saved_.words[held * links_->row_words_ + BitOf(held, wanted) / 64];
    }
    void Save(Link held);
    [[nodiscard]] bool MakeRoom(Link held, Link wanted);
    [[nodiscard]] bool SearchBehind(Link from, Link held);
    [[nodiscard]] bool LookBehind(Link at, Link held, std::uint32_t most);
    void SearchBefore(Link from, std::uint32_t least);
    void Reorder();

    LaneLinks* links_ = nullptr;
    std::span<std::uint64_t> waits_;  ///< A row for each link, a bit for each link out of its end.
    std::span<std::uint32_t> place_;  ///< By link.
    bool remembers_ = false;
    std::size_t before_count_ = 0;
    std::size_t behind_count_ = 0;
    std::size_t steps_ = 0;
};

}  // namespace ember
