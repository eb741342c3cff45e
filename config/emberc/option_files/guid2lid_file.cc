// SPDX-License-Identifier: Apache-2.0
// EmberSM: guid2lid_file.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "core/settings/settings.h"

namespace ember::emberc {
namespace {

/// Reads the lines of one file and holds each against those before.
class Reader {
public:
    Reader(std::string_view text, Diagnostics& diagnostics, std::uint8_t lmc)
        : reader_(text, diagnostics),
          count_(1U << lmc),
          owners_(Raw(kTopUnicastLid) + std::size_t{1}, kNoGuid) {}

    std::vector<PortLids> Read();

private:
    struct Entry {
        PortLids lids;
        std::size_t line = 0;
    };

    [[nodiscard]] std::optional<PortLids> ReadLine();
    [[nodiscard]] bool IsARange(const PortLids& row);
    [[nodiscard]] bool IsFree(const PortLids& row);
    void Enter(const PortLids& row);

    LineReader reader_;
    std::uint32_t count_;  ///< LIDs of an end port.
    std::map<Guid, Entry> by_guid_;
    std::vector<Guid> owners_;  ///< By LID; kNoGuid: none so far.
};

std::optional<PortLids> Reader::ReadLine() {
    if (!reader_.HasWords(3, "a port's GUID, its first LID and its last")) return std::nullopt;
    const auto guid = reader_.ReadGuid(reader_.words()[0]);
    const auto least = reader_.ReadNumber(reader_.words()[1], "LID", 1, Raw(kTopUnicastLid));
    const auto most = reader_.ReadNumber(reader_.words()[2], "LID", 1, Raw(kTopUnicastLid));
    if (!guid || !least || !most) return std::nullopt;
    return PortLids{*guid, static_cast<Lid>(*least), static_cast<Lid>(*most)};
}

/// A single LID may be a switch's under any LMC. More of them are an end port's, which begin at a
/// multiple of their number; those that a larger LMC has left are as good.
bool Reader::IsARange(const PortLids& row) {
    const Word& last = reader_.words()[2];
    if (row.most < row.least) {
        reader_.Error(last, Code::kTurnedRange,
                      fmt::format("the range ends at LID {}, before it begins", Raw(row.most)));
        return false;
    }
    const std::uint32_t width = Raw(row.most) - Raw(row.least) + 1U;
    if (width == 1) return true;
    if (width > kMostFiledLids) {
        reader_.Error(last, Code::kUnfitLids,
                      fmt::format("{} LIDs: no port has more than {}", width, kMostFiledLids));
        return false;
    }
    if (width < count_) {
        reader_.Error(last, Code::kUnfitLids,
                      fmt::format("{} LIDs, and a port gets {} under this lmc", width, count_));
        return false;
    }
    if (Raw(row.least) % count_ == 0) return true;
    reader_.Error(reader_.words()[1], Code::kUnfitLids,
                  fmt::format("under this lmc the {} LIDs of a port begin at a multiple of {}",
                              count_, count_));
    return false;
}

bool Reader::IsFree(const PortLids& row) {
    const auto begin = owners_.begin() + Raw(row.least);
    const auto end = owners_.begin() + Raw(row.most) + 1;
    const auto taken = std::find_if(begin, end, [](Guid owner) { return owner != kNoGuid; });
    if (taken == end) return true;
    const auto lid = static_cast<std::uint32_t>(taken - owners_.begin());
    reader_.Error(
        reader_.words()[lid == Raw(row.least) ? 1 : 2], Code::kContradiction,
        fmt::format("line {} gives LID {} to {}", by_guid_.at(*taken).line, lid, Hex(*taken)));
    return false;
}

void Reader::Enter(const PortLids& row) {
    const auto [entry, fresh] = by_guid_.try_emplace(row.guid, Entry{row, reader_.number()});
    if (fresh) {
        std::fill(owners_.begin() + Raw(row.least), owners_.begin() + Raw(row.most) + 1, row.guid);
        return;
    }
    const Word& first = reader_.words().front();
    const PortLids& before = entry->second.lids;
    if (before == row) {
        reader_.Report(Severity::kWarning, first, Code::kDuplicateEntry,
                       fmt::format("line {} says the same", entry->second.line));
    } else {
        reader_.Error(first, Code::kContradiction,
                      fmt::format("line {} gives this port the LIDs {} to {}", entry->second.line,
                                  Raw(before.least), Raw(before.most)));
    }
}

std::vector<PortLids> Reader::Read() {
    while (reader_.NextWords()) {
        const std::optional<PortLids> row = ReadLine();
        if (!row || !IsARange(*row)) continue;
        if (by_guid_.contains(row->guid) || IsFree(*row)) Enter(*row);
    }
    std::vector<PortLids> rows;
    rows.reserve(by_guid_.size());
    for (const auto& [guid, entry] : by_guid_) {
        rows.push_back(entry.lids);
    }
    return rows;
}

}  // namespace

std::vector<PortLids> ParseGuid2LidFile(std::string_view text, Diagnostics& diagnostics,
                                        const SubnetFacts& subnet) {
    return Reader(text, diagnostics, subnet.lmc).Read();
}

std::string AsLine(const PortLids& row) {
    return fmt::format("{} {:#06x} {:#06x}", Hex(row.guid), Raw(row.least), Raw(row.most));
}

}  // namespace ember::emberc
