// SPDX-License-Identifier: Apache-2.0
// EmberSM: which paths there are, found out slowly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/administration/query/query.h"
#include "core/fabric/fabric.h"
#include "core/wire/path_record.h"

namespace ember::testing {

/// Answers questions for PathRecords by trying every pair of LIDs and walking every table: no
/// memory, no short cuts, and rates in Mb/s of data. Written from what OpenSM answers, not
/// from the code that it checks.
class PathOracle {
public:
    PathOracle(const Fabric& fabric, const Settings& settings,
               Matrix<SwitchIndex, const std::uint8_t> lfts)
        : fabric_(fabric), settings_(settings), lfts_(lfts) {}

    struct Answer {
        SaStatus status = SaStatus::kOk;
        std::vector<PathRecord> records;
    };

    [[nodiscard]] Answer Ask(Method method, std::uint64_t mask, const PathRecord& asked) const {
        const auto has = [mask](unsigned bit) { return (mask >> bit & 1U) != 0; };
        const unsigned rate = Number(asked, PathRecord::kRate);
        const unsigned mtu = Number(asked, PathRecord::kMtu);
        if (has(18) && has(19) && (rate < 2 || rate > 24)) return {SaStatus::kRequestInvalid, {}};
        if (has(16) && has(17) && (mtu < 1 || mtu > 5)) return {SaStatus::kRequestInvalid, {}};
        if (has(0) != has(1)) return {SaStatus::kInsufficientComponents, {}};
        for (const bool source : {true, false}) {
            const unsigned gid_bit = source ? 3 : 2;
            const unsigned lid_bit = source ? 5 : 4;
            if (!has(gid_bit) || !has(lid_bit)) continue;
            const PortIndex by_guid = ByGuid(asked, source);
            const PortIndex by_lid =
                ByLid(asked.Get(source ? PathRecord::kSlid : PathRecord::kDlid));
            if (by_guid != kNoPortIndex && by_lid != kNoPortIndex && by_guid != by_lid) {
                return {SaStatus::kRequestInvalid, {}};
            }
        }
        Answer answer;
        for (const PortIndex to : Ends(asked, has(2), has(4), false)) {
            for (const PortIndex from : Ends(asked, has(3), has(5), true)) {
                for (const PathRecord& path : Between(from, to, mask, method, asked)) {
                    answer.records.push_back(path);
                    if (method == Method::kGet) return answer;
                }
            }
        }
        return answer;
    }

private:
    struct Values {
        std::uint64_t mbps = ~std::uint64_t{0};
        unsigned mtu = 5;
        unsigned life_time = 0;
    };

    template <typename Value>
    static unsigned Number(const PathRecord& record, Field<Value> field) {
        return static_cast<unsigned>(record.Get(field));
    }

    /// The data that each code stands for: with 8b/10b up to QDR, with 64b/66b from FDR on, where
    /// only that of FDR is not in the name.
    static const std::map<unsigned, std::uint64_t>& Codes() {
        static const std::map<unsigned, std::uint64_t> codes{
            {2, 2000},    {3, 8000},    {4, 24000},   {5, 4000},    {6, 16000},   {7, 32000},
            {8, 48000},   {9, 64000},   {10, 96000},  {11, 13636},  {12, 54544},  {13, 109088},
            {14, 163632}, {15, 25000},  {16, 100000}, {17, 200000}, {18, 300000}, {19, 27272},
            {20, 50000},  {21, 400000}, {22, 600000}, {23, 800000}, {24, 1200000}};
        return codes;
    }
    /// The fastest code up to `top` that is at most so fast.
    static unsigned CodeOf(std::uint64_t mbps, unsigned top) {
        unsigned best = 0;
        for (const auto& [code, speed] : Codes()) {
            if (code > top || speed > mbps) continue;
            if (best == 0 || speed > Codes().at(best)) best = code;
        }
        return best;
    }
    /// The code that is told. No port of these nets knows 2x, HDR or NDR.
    [[nodiscard]] unsigned ToldCode(std::uint64_t mbps, PortIndex source) const {
        const unsigned code = CodeOf(mbps, 63);
        const unsigned top = settings_.max_rate_enum;
        if (top < 63) return code <= top ? code : CodeOf(std::min(mbps, Codes().at(top)), top);
        const PortInfo& info = fabric_.port(source).info;
        const bool is_extended = (info.Get(PortInfo::kCapabilityMask) >> 14U & 1U) != 0;
        if (code == 19) return is_extended ? 15 : 6;
        if (code == 20) return 7;
        return code > 20 ? 18 : code;
    }

    [[nodiscard]] PortIndex ByLid(Lid lid) const {
        PortIndex found = kNoPortIndex;
        ForEachEndPort(fabric_, [&](PortIndex at, const Port& port) {
            const unsigned first = Raw(port.lid);
            const bool owns =
                first != 0 && Raw(lid) >= first && Raw(lid) < first + (1U << port.lmc);
            if (owns) found = at;
        });
        return found;
    }
    [[nodiscard]] PortIndex ByGuid(const PathRecord& asked, bool source) const {
        const std::uint64_t prefix =
            asked.Get(source ? PathRecord::kSgidPrefix : PathRecord::kDgidPrefix);
        const Guid guid = asked.Get(source ? PathRecord::kSgidGuid : PathRecord::kDgidGuid);
        PortIndex found = kNoPortIndex;
        if (prefix != settings_.subnet_prefix && prefix != 0xFE80000000000000) return found;
        ForEachEndPort(fabric_, [&](PortIndex at, const Port& port) {
            if (port.guid == guid && guid != kNoGuid && port.lid != kNoLid) found = at;
        });
        return found;
    }
    /// By LID.
    [[nodiscard]] std::vector<PortIndex> Ends(const PathRecord& asked, bool has_gid, bool has_lid,
                                              bool source) const {
        std::map<Lid, PortIndex> ends;
        const Lid lid = asked.Get(source ? PathRecord::kSlid : PathRecord::kDlid);
        ForEachEndPort(fabric_, [&](PortIndex at, const Port& port) {
            if (port.lid == kNoLid) return;
            if (has_gid && ByGuid(asked, source) != at) return;
            if (has_lid && ByLid(lid) != at) return;
            ends[port.lid] = at;
        });
        std::vector<PortIndex> list;
        for (const auto& [first, at] : ends) {
            list.push_back(at);
        }
        return list;
    }

    [[nodiscard]] std::vector<unsigned> Lids(PortIndex at, bool fixed, Lid lid) const {
        if (fixed) return {Raw(lid)};
        std::vector<unsigned> lids;
        for (unsigned i = 0; i < (1U << fabric_.port(at).lmc); ++i) {
            lids.push_back(Raw(fabric_.port(at).lid) + i);
        }
        return lids;
    }

    [[nodiscard]] std::vector<PathRecord> Between(PortIndex from, PortIndex to, std::uint64_t mask,
                                                  Method method, const PathRecord& asked) const {
        const auto has = [mask](unsigned bit) { return (mask >> bit & 1U) != 0; };
        const auto sources = Lids(from, has(5), asked.Get(PathRecord::kSlid));
        const auto destinations = Lids(to, has(4), asked.Get(PathRecord::kDlid));
        std::vector<PathRecord> all;
        for (const bool equal : {true, false}) {
            for (std::size_t i = 0; i < sources.size(); ++i) {
                for (std::size_t j = 0; j < destinations.size(); ++j) {
                    if ((i == j) != equal) continue;
                    const auto path =
                        Path(from, sources[i], to, destinations[j], mask, asked, equal ? 0 : 2);
                    if (path) all.push_back(*path);
                }
            }
        }
        std::size_t most = all.size();
        if (has(12)) most = Number(asked, PathRecord::kNumbPath);
        if (method == Method::kGet) most = 1;
        all.resize(std::min(all.size(), most));
        return all;
    }

    [[nodiscard]] std::optional<PathRecord> Path(PortIndex from, unsigned from_lid, PortIndex to,
                                                 unsigned to_lid, std::uint64_t mask,
                                                 const PathRecord& asked,
                                                 unsigned preference) const {
        const auto has = [mask](unsigned bit) { return (mask >> bit & 1U) != 0; };
        const auto forth = Way(from, to, to_lid, mask, asked);
        if (!forth) return std::nullopt;
        const bool back = Way(to, from, from_lid, mask, asked).has_value();
        if (has(11) && asked.Get(PathRecord::kReversible) == 1 && !back) return std::nullopt;
        unsigned p_key = 0xFFFF;
        if (has(13)) p_key = Number(asked, PathRecord::kPKey);
        if ((p_key & 0x7FFF) != 0x7FFF) return std::nullopt;
        const bool raw = has(6) && asked.Get(PathRecord::kRawTraffic) == 1;
        if (raw) p_key = 0;

        const std::map<unsigned, unsigned> numbers{
            {320, to_lid},
            {336, from_lid},

            {392, back},
            {400, p_key},
            {428, has(15) ? Number(asked, PathRecord::kSl) : 0},
            {432, 2},
            {434, forth->mtu},
            {440, 2},
            {442, ToldCode(forth->mbps, from)},
            {448, 2},
            {450, forth->life_time},
            {456, preference}};
        PathRecord path;
        for (const auto& [bit, number] : numbers) {
            unsigned width = 16;
            if (bit == 392) width = 1;
            if (bit == 428) width = 4;
            if (bit == 432 || bit == 440 || bit == 448) width = 2;
            if (bit == 434 || bit == 442 || bit == 450) width = 6;
            if (bit == 456) width = 8;
            path.Set(Field<unsigned>{{static_cast<std::uint16_t>(bit),
                                      static_cast<std::uint16_t>(width)}},
                     number);
        }
        path.Set(PathRecord::kDgidPrefix, settings_.subnet_prefix);
        path.Set(PathRecord::kSgidPrefix, settings_.subnet_prefix);
        path.Set(PathRecord::kDgidGuid, fabric_.port(to).guid);
        path.Set(PathRecord::kSgidGuid, fabric_.port(from).guid);
        return path;
    }

    /// The values that all ports on the path admit; nullopt: no path, or others are asked for.
    [[nodiscard]] std::optional<Values> Way(PortIndex from, PortIndex to, unsigned lid,
                                            std::uint64_t mask, const PathRecord& asked) const {
        const auto has = [mask](unsigned bit) { return (mask >> bit & 1U) != 0; };
        Values values;
        values.life_time = from == to ? 0 : settings_.subnet_timeout;
        PortIndex at = from;
        Meet(at, values);
        for (unsigned hops = 0; at != to; ++hops) {
            const Node& node = fabric_.node(fabric_.port(at).node);
            if (hops > 64 || (node.type != NodeType::kSwitch && at != from)) return std::nullopt;
            if (node.type == NodeType::kSwitch) {  // Which way now?
                const auto lft = lfts_[node.switch_index];
                if (lid >= lft.size() || lft[lid] > node.port_count) return std::nullopt;
                at = fabric_.PortOf(fabric_.port(at).node, static_cast<PortNumber>(lft[lid]));
                Meet(at, values);
                if (at == to) break;
            }
            at = fabric_.port(at).peer;
            if (at == kNoPortIndex) return std::nullopt;
            if (hops == 64) return std::nullopt;
            Meet(at, values);
        }
        const bool fits = Fit(has(16) && has(17), asked.Get(PathRecord::kMtuSelector),
                              Number(asked, PathRecord::kMtu), 1, values.mtu) &&
                          Fit(has(20) && has(21), asked.Get(PathRecord::kPacketLifeTimeSelector),
                              Number(asked, PathRecord::kPacketLifeTime), 1, values.life_time) &&
                          FitRate(has(18) && has(19), asked, values.mbps);
        if (!fits) return std::nullopt;
        return values;
    }

    void Meet(PortIndex at, Values& values) const {
        const PortInfo& info = fabric_.port(at).info;
        const Node& node = fabric_.node(fabric_.port(at).node);
        const bool is_switch = node.type == NodeType::kSwitch;
        const PortInfo& capable = is_switch ? fabric_.port(node.first_port).info : info;
        values.mtu = std::min(values.mtu, unsigned(info.Get(PortInfo::kMtuCap)));
        const unsigned width = info.Get(PortInfo::kLinkWidthActive);
        if (is_switch && fabric_.port(at).number == kManagementPort && width == 0) return;
        const std::map<unsigned, unsigned> lanes{{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
        const std::map<unsigned, std::uint64_t> speeds{{1, 2000}, {2, 4000}, {4, 8000}};
        const std::map<unsigned, std::uint64_t> extended{
            {1, 13636}, {2, 25000}, {4, 50000}, {8, 100000}};
        std::uint64_t mbps = speeds.at(info.Get(PortInfo::kLinkSpeedActive));
        const unsigned ext = info.Get(PortInfo::kLinkSpeedExtActive);
        if ((capable.Get(PortInfo::kCapabilityMask) >> 14U & 1U) != 0 && ext != 0) {
            mbps = extended.at(ext);
        }
        values.mbps = std::min(values.mbps, mbps * lanes.at(width));
    }

    static bool Fit(bool asked, Selector how, unsigned wanted, unsigned least, unsigned& value) {
        if (!asked || how == Selector::kBest) return true;
        if (how == Selector::kAbove) return value > wanted;
        if (how == Selector::kExactly) {
            if (value < wanted) return false;
            value = wanted;
            return true;
        }
        if (value < wanted) return true;
        if (wanted <= least) return false;
        value = wanted - 1;
        return true;
    }
    static bool FitRate(bool asked, const PathRecord& record, std::uint64_t& mbps) {
        if (!asked) return true;
        const std::uint64_t wanted = Codes().at(Number(record, PathRecord::kRate));
        switch (record.Get(PathRecord::kRateSelector)) {
            case Selector::kAbove:
                return mbps > wanted;
            case Selector::kExactly:
                return mbps == wanted;
            case Selector::kBest:
                return true;
            case Selector::kBelow:
                break;
        }
        if (mbps < wanted) return true;
        const unsigned code = CodeOf(wanted - 1, 63);
        if (code == 0) return false;
        mbps = Codes().at(code);
        return true;
    }

    const Fabric& fabric_;
    const Settings& settings_;
    Matrix<SwitchIndex, const std::uint8_t> lfts_;
};

}  // namespace ember::testing
