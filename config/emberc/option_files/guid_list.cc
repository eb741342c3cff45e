// SPDX-License-Identifier: Apache-2.0
// EmberSM: root_guid_file, cn_guid_file, io_guid_file, guid_routing_order_file.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <span>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "core/settings/settings.h"

namespace ember::emberc {
namespace {

/// GUIDs in the order of the lines. A GUID of `compute_nodes`, which ascends, draws a warning.
std::vector<Guid> Parse(std::string_view text, Diagnostics& diagnostics,
                        std::span<const Guid> compute_nodes) {
    std::vector<Guid> guids;
    std::map<Guid, std::size_t> lines;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        const Word& word = reader.words().front();
        const auto guid = reader.ReadGuid(word);
        (void)reader.HasWords(1, "a GUID");
        if (!guid) continue;
        const auto [seen, fresh] = lines.try_emplace(*guid, reader.number());
        if (!fresh) {
            reader.Report(Severity::kWarning, word, Code::kDuplicateEntry,
                          fmt::format("{} stands in line {} already", Hex(*guid), seen->second));
            continue;
        }
        if (guids.size() == kMostListedGuids) {
            reader.Error(word, Code::kTooLarge,
                         fmt::format("a subnet has no more than {} of them", kMostListedGuids));
            break;  // The lines that follow would all say the same.
        }
        guids.push_back(*guid);
        if (std::binary_search(compute_nodes.begin(), compute_nodes.end(), *guid)) {
            reader.Report(Severity::kWarning, word, Code::kBothKinds,
                          "cn_guid_file has it too: it counts as a compute node");
        }
    }
    return guids;
}

}  // namespace

std::vector<Guid> ParseGuidList(std::string_view text, Diagnostics& diagnostics) {
    return Parse(text, diagnostics, {});
}

std::vector<Guid> ParseGuidSet(std::string_view text, Diagnostics& diagnostics) {
    std::vector<Guid> guids = Parse(text, diagnostics, {});
    std::sort(guids.begin(), guids.end());
    return guids;
}

std::vector<Guid> ParseIoGuidFile(std::string_view text, Diagnostics& diagnostics,
                                  const SubnetFacts& subnet) {
    std::vector<Guid> guids = Parse(text, diagnostics, subnet.compute_nodes);
    std::sort(guids.begin(), guids.end());
    return guids;
}

std::string AsLine(Guid guid) {
    return Hex(guid);
}

}  // namespace ember::emberc
