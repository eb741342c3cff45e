// SPDX-License-Identifier: Apache-2.0
// EmberSM: how good a routing is: loads, hops and congestion, counted from its tables alone.
#include "config/emberc/plan/measure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "config/emberc/plan/link_map.h"
#include "config/netlist/random.h"

namespace ember::plan {
namespace {

/// Hosts by switch and port, whatever the listing's order, without aggregation nodes.
std::vector<Destination> HostsOf(const Topology& topology) {
    std::vector<Destination> hosts;
    for (const Destination& destination : topology.destinations()) {
        if (destination.is_host() && destination.at != kNoSwitch) hosts.push_back(destination);
    }
    const auto place = [&](const Destination& host) {
        return std::pair(topology.switch_row(host.at).guid, host.port);
    };
    std::sort(hosts.begin(), hosts.end(), [&](const Destination& one, const Destination& other) {
        return place(one) < place(other);
    });
    return hosts;
}

/// True when the host's own switch hands the LID to it.
bool IsDelivered(const Destination& host, std::uint32_t lid, Tables lfts) {
    return lfts[host.at][lid] == Raw(host.port);
}

void ReportProgress(const Tick& tick, std::uint64_t done, std::uint64_t all) {
    if (!tick) return;
    const std::uint64_t step = std::max<std::uint64_t>(1, all / 100);
    if (done % step == 0 || done == all) tick(done, all);
}

/// Adds up what flows towards one LID after the other.
class Tree {
public:
    Tree(const Topology& topology, const LinkMap& links, const std::vector<Destination>& hosts)
        : topology_(topology),
          links_(links),
          senders_(topology.switch_bound()),
          exit_(senders_.size()),
          waiting_(senders_.size()),
          distance_(senders_.size()),
          flow_(senders_.size()) {
        for (const Destination& host : hosts) {
            ++senders_[Raw(host.at)];
        }
        order_.reserve(senders_.size());
    }

    /// Flows of `weight` from every host but `to` itself.
    void Add(const Destination& to, std::span<const std::uint8_t> ports, std::uint64_t weight,
             AllToAll& sum) {
        Sort(to.at, ports);
        // From the destination back: the switches whose packets arrive, and their distance.
        std::fill(distance_.begin(), distance_.end(), kNowhere);
        distance_[Raw(to.at)] = 0;
        for (std::size_t i = order_.size(); i-- > 0;) {
            const SwitchIndex at = order_[i];
            if (at == to.at || exit_[Raw(at)] == kNowhere) continue;
            const std::uint32_t beyond = distance_[Raw(links_.peer(exit_[Raw(at)]))];
            if (beyond != kNowhere) distance_[Raw(at)] = beyond + 1;
        }
        // With it: what comes together on every link.
        std::fill(flow_.begin(), flow_.end(), 0);
        for (const SwitchIndex at : order_) {
            const std::uint32_t distance = distance_[Raw(at)];
            if (distance == kNowhere) continue;
            const std::uint64_t here = senders_[Raw(at)] - (at == to.at ? 1U : 0U);
            if (sum.hops.size() <= distance) sum.hops.resize(distance + std::size_t{1});
            sum.hops[distance] += here;
            arrived_ += here;
            if (at == to.at) continue;
            const std::uint64_t flow = flow_[Raw(at)] + here;
            sum.load[exit_[Raw(at)]] += flow * weight;
            flow_[Raw(links_.peer(exit_[Raw(at)]))] += flow;
        }
    }

    [[nodiscard]] std::uint64_t arrived() const { return arrived_; }

private:
    /// Sorts the switches so that each comes after all that send through it. Switches on a loop, or
    /// behind one, are left out.
    void Sort(SwitchIndex target, std::span<const std::uint8_t> ports) {
        std::fill(waiting_.begin(), waiting_.end(), 0);
        order_.clear();
        for (std::size_t i = 0; i < exit_.size(); ++i) {
            const auto at = static_cast<SwitchIndex>(i);
            exit_[i] =
                at == target || !topology_.Has(at) ? kNowhere : links_.Row(topology_, at, ports[i]);
            if (exit_[i] != kNowhere) ++waiting_[Raw(links_.peer(exit_[i]))];
        }
        for (std::size_t i = 0; i < exit_.size(); ++i) {
            const auto at = static_cast<SwitchIndex>(i);
            if (waiting_[i] == 0 && topology_.Has(at)) order_.push_back(at);
        }
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const std::uint32_t exit = exit_[Raw(order_[i])];
            if (exit == kNowhere) continue;
            const SwitchIndex next = links_.peer(exit);
            if (--waiting_[Raw(next)] == 0) order_.push_back(next);
        }
    }

    const Topology& topology_;
    const LinkMap& links_;
    std::vector<std::uint32_t> senders_;   ///< Hosts, by switch.
    std::vector<std::uint32_t> exit_;      ///< Row of the link towards the LID.
    std::vector<std::uint32_t> waiting_;   ///< How many send to it and have not been sorted.
    std::vector<std::uint32_t> distance_;  ///< kNowhere: does not arrive.
    std::vector<std::uint64_t> flow_;      ///< Flows that have come in over links.
    std::vector<SwitchIndex> order_;
    std::uint64_t arrived_ = 0;
};

/// Columns of the tables turned into rows, 64 LIDs at a time: a cache line is fetched once.
class TurnedTables {
public:
    TurnedTables(const Topology& topology, Tables lfts)
        : topology_(topology), lfts_(lfts), ports_(kColumns * topology.switch_bound()) {}

    /// By switch: the port to `lid`. Cheap when LIDs come in ascending order.
    std::span<const std::uint8_t> Column(std::uint32_t lid) {
        const std::size_t bound = topology_.switch_bound();
        if (lid / kColumns != block_) {
            block_ = lid / kColumns;
            for (std::size_t i = 0; i < bound; ++i) {
                const auto at = static_cast<SwitchIndex>(i);
                if (!topology_.Has(at)) continue;
                const auto row = lfts_[at].subspan(std::size_t{block_} * kColumns, kColumns);
                for (std::size_t column = 0; column < kColumns; ++column) {
                    ports_[column * bound + i] = row[column];
                }
            }
        }
        return std::span(ports_).subspan(lid % kColumns * bound, bound);
    }

private:
    static constexpr std::uint32_t kColumns = 64;
    const Topology& topology_;
    Tables lfts_;
    std::vector<std::uint8_t> ports_;
    std::uint32_t block_ = kNowhere;
};

void Summarize(const Topology& topology, const LinkMap& links, Rate host, AllToAll& sum) {
    const Capacities capacities(topology, host);
    sum.links = links.count();
    double total = 0;
    double squares = 0;
    double most_by_rate = 0;
    for (const SwitchIndex at : topology.switches_by_guid()) {
        for (const Trunk& trunk : topology.trunks(at)) {
            const std::uint64_t load = sum.load[links.first(at) + Raw(trunk.port)];
            const double flows = static_cast<double>(load) / static_cast<double>(sum.unit);
            total += flows;
            squares += flows * flows;
            if (load == 0) ++sum.idle;
            if (flows > sum.max) {
                sum.max = flows;
                sum.busiest = at;
                sum.busiest_port = trunk.port;
            }
            const double by_rate = flows / capacities.Of(at, trunk.port);
            if (by_rate <= most_by_rate) continue;
            most_by_rate = by_rate;
            sum.narrowest = at;
            sum.narrowest_port = trunk.port;
        }
    }
    if (sum.links == 0) return;
    sum.mean = total / static_cast<double>(sum.links);
    const double variance = squares / static_cast<double>(sum.links) - sum.mean * sum.mean;
    sum.deviation = std::sqrt(std::max(0.0, variance));
    if (sum.max <= 0) return;
    const auto of_a_host = static_cast<double>(sum.hosts - 1);
    sum.saturation = std::min(1.0, of_a_host / sum.max);
    sum.saturation_by_rate = std::min(1.0, of_a_host / most_by_rate);
}

/// Flows between single hosts, on links that are counted anew for every pattern.
class Pattern {
public:
    Pattern(const Topology& topology, Tables lfts)
        : hosts(HostsOf(topology)),
          unit(std::uint64_t{1} << topology.top_lmc()),
          topology_(topology),
          lfts_(lfts),
          links_(topology),
          load_(links_.rows()) {}

    void Clear() {
        std::fill(load_.begin(), load_.end(), 0);
        rows_.clear();
        ends_.clear();
    }
    void Send(const Destination& from, const Destination& to) {
        for (std::uint32_t i = 0; i < to.lid_count(); ++i) {
            Follow(from, to, Raw(to.lid) + i);
        }
    }
    [[nodiscard]] double Most() const {
        const auto most = std::max_element(load_.begin(), load_.end());
        return most == load_.end() ? 0 : static_cast<double>(*most) / static_cast<double>(unit);
    }
    /// Of all that was sent, the rates added up: one full flow is 1.
    [[nodiscard]] double Rates() const {
        double sum = 0;
        std::size_t begin = 0;
        for (const End& end : ends_) {
            std::uint64_t most = unit;
            for (std::size_t i = begin; i < end.row; ++i) {
                most = std::max(most, load_[rows_[i]]);
            }
            // A part of a flow, at the rate that the busiest link of its path leaves it.
            if (end.arrives) sum += static_cast<double>(end.weight) / static_cast<double>(most);
            begin = end.row;
        }
        return sum;
    }

    const std::vector<Destination> hosts;
    const std::uint64_t unit;

private:
    struct End {
        std::size_t row;  ///< Behind the last row of its path.
        std::uint64_t weight;
        bool arrives;
    };

    void Follow(const Destination& from, const Destination& to, std::uint32_t lid) {
        const std::size_t begin = rows_.size();
        const std::uint64_t weight = unit >> to.lmc;
        SwitchIndex at = from.at;
        bool arrives = false;
        // A path that is longer than there are switches is a loop.
        for (std::size_t steps = 0; steps <= topology_.switch_count(); ++steps) {
            if (at == to.at) {
                arrives = IsDelivered(to, lid, lfts_);
                break;
            }
            const std::uint32_t row = links_.Row(topology_, at, lfts_[at][lid]);
            if (row == kNowhere) break;
            rows_.push_back(row);
            at = links_.peer(row);
        }
        if (!arrives) rows_.resize(begin);
        for (std::size_t i = begin; i < rows_.size(); ++i) {
            load_[rows_[i]] += weight;
        }
        ends_.push_back({rows_.size(), weight, arrives});
    }

    const Topology& topology_;
    Tables lfts_;
    LinkMap links_;
    std::vector<std::uint64_t> load_;  ///< By link row, in 1/unit of a flow.
    std::vector<std::uint32_t> rows_;  ///< The paths of all flows, one behind the other.
    std::vector<End> ends_;
};

}  // namespace

double AllToAll::mean_hops() const {
    std::uint64_t arrived = 0;
    std::uint64_t crossed = 0;
    for (std::size_t i = 0; i < hops.size(); ++i) {
        arrived += hops[i];
        crossed += hops[i] * i;
    }
    return arrived == 0 ? 0 : static_cast<double>(crossed) / static_cast<double>(arrived);
}

AllToAll MeasureAllToAll(const Topology& topology, Tables lfts, const Tick& tick, Rate host) {
    const LinkMap links(topology);
    std::vector<Destination> hosts = HostsOf(topology);
    AllToAll sum;
    sum.hosts = hosts.size();
    sum.unit = std::uint64_t{1} << topology.top_lmc();
    sum.load.resize(links.rows());
    Tree tree(topology, links, hosts);
    TurnedTables turned(topology, lfts);
    std::sort(hosts.begin(), hosts.end(),
              [](const Destination& one, const Destination& other) { return one.lid < other.lid; });
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const Destination& to = hosts[i];
        for (std::uint32_t lid = Raw(to.lid); lid < Raw(to.lid) + to.lid_count(); ++lid) {
            sum.paths += hosts.size() - 1;
            if (IsDelivered(to, lid, lfts)) {
                tree.Add(to, turned.Column(lid), sum.unit >> to.lmc, sum);
            }
        }
        ReportProgress(tick, i + 1, hosts.size());
    }
    sum.lost = sum.paths - tree.arrived();
    Summarize(topology, links, host, sum);
    return sum;
}

Shifts MeasureShifts(const Topology& topology, Tables lfts, std::size_t at_most, const Tick& tick) {
    Pattern pattern(topology, lfts);
    const std::vector<Destination>& hosts = pattern.hosts;
    Shifts shifts;
    if (hosts.size() < 2) return shifts;
    const std::size_t all = hosts.size() - 1;
    shifts.count = std::min(all, std::max<std::size_t>(1, at_most));
    double sum = 0;
    for (std::size_t i = 0; i < shifts.count; ++i) {
        const std::size_t k = 1 + i * all / shifts.count;
        pattern.Clear();
        for (std::size_t from = 0; from < hosts.size(); ++from) {
            pattern.Send(hosts[from], hosts[(from + k) % hosts.size()]);
        }
        const double most = pattern.Most();
        sum += most;
        if (most > shifts.worst) {
            shifts.worst = most;
            shifts.worst_k = static_cast<std::uint32_t>(k);
        }
        ReportProgress(tick, i + 1, shifts.count);
    }
    shifts.mean = sum / static_cast<double>(shifts.count);
    return shifts;
}

Bisections MeasureBisections(const Topology& topology, Tables lfts, std::size_t count,
                             std::uint64_t seed, const Tick& tick) {
    Pattern pattern(topology, lfts);
    Bisections result;
    if (pattern.hosts.size() < 2 || count == 0) return result;
    result.count = count;
    net::Random random(seed);
    std::vector<std::uint32_t> order(pattern.hosts.size());
    std::iota(order.begin(), order.end(), 0U);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t left = order.size(); left > 1; --left) {
            std::swap(order[left - 1], order[random.Below(static_cast<std::uint32_t>(left))]);
        }
        pattern.Clear();
        for (std::size_t pair = 0; pair + 1 < order.size(); pair += 2) {
            pattern.Send(pattern.hosts[order[pair]], pattern.hosts[order[pair + 1]]);
            pattern.Send(pattern.hosts[order[pair + 1]], pattern.hosts[order[pair]]);
        }
        const double rate = pattern.Rates() / static_cast<double>(order.size() / 2 * 2);
        sum += rate;
        result.worst = std::min(result.worst, rate);
        ReportProgress(tick, i + 1, count);
    }
    result.effective = sum / static_cast<double>(count);
    return result;
}

}  // namespace ember::plan
