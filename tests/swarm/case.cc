// SPDX-License-Identifier: Apache-2.0
// EmberSM: which story is told, as text.
#include <algorithm>
#include <charconv>
#include <sstream>

#include "tests/swarm/site.h"
#include "tests/swarm/story.h"

namespace ember::swarm {
namespace {

template <typename Number>
bool Read(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    return error == std::errc{} && end == text.end();
}

bool ReadList(std::string_view text, std::vector<std::uint32_t>& list) {
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::uint32_t number = 0;
        if (!Read(text.substr(0, comma), number)) return false;
        list.push_back(number);
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    std::sort(list.begin(), list.end());
    return true;
}

/// Names of parts, a comma between them.
bool ReadParts(std::string_view text, std::uint32_t& parts) {
    while (!text.empty()) {
        const std::string_view name = text.substr(0, text.find(','));
        const auto row =
            std::find_if(kSitePartRows.begin(), kSitePartRows.end(),
                         [name](const SitePartRow& part) { return part.name == name; });
        if (row == kSitePartRows.end()) return false;
        parts |= 1U << static_cast<unsigned>(row - kSitePartRows.begin());
        text.remove_prefix(std::min(name.size() + 1, text.size()));
    }
    return true;
}

}  // namespace

std::string TextOf(const Case& which) {
    std::string text = std::to_string(which.seed);
    if (which.managers) text += " managers";
    if (which.only) {
        text += " only=";
        for (std::size_t i = 0; i < which.only->size(); ++i) {
            text += (i == 0 ? "" : ",") + std::to_string((*which.only)[i]);
        }
    }
    if (which.less != 0) text += " less=" + std::to_string(which.less);
    std::string left_out;
    for (std::size_t row = 0; row < kSiteParts; ++row) {
        if ((which.without >> row & 1U) == 0) continue;
        left_out += (left_out.empty() ? "" : ",") + std::string(kSitePartRows[row].name);
    }
    if (!left_out.empty()) text += " without=" + left_out;
    return text;
}

std::optional<Case> CaseOf(std::string_view text) {
    std::istringstream words{std::string(text)};
    std::string word;
    Case which;
    if (!(words >> word) || !Read(word, which.seed)) return std::nullopt;
    while (words >> word) {
        const std::string_view all = word;
        if (all == "managers") {
            which.managers = true;
        } else if (all.starts_with("only=")) {
            which.only.emplace();
            if (!ReadList(all.substr(5), *which.only)) return std::nullopt;
        } else if (all.starts_with("without=")) {
            if (!ReadParts(all.substr(8), which.without)) return std::nullopt;
        } else if (!all.starts_with("less=") || !Read(all.substr(5), which.less)) {
            return std::nullopt;
        }
    }
    return which;
}

}  // namespace ember::swarm
