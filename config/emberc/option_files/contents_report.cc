// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, for people.
#include "config/emberc/option_files/contents_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ember::emberc {
namespace {

static_assert(
    [] {
        std::array<bool, kFileCount> is_taken{};
        bool is_right = true;
        ForEachFileFormat([&](const auto& format) {
            is_right = is_right && format.shown < kFileCount && !is_taken[format.shown];
            if (is_right) is_taken[format.shown] = true;
        });
        return is_right;
    }(),
    "files are shown one after the other: 0, 1, 2 ...");

constexpr std::size_t kFew = 4;

/// A file, its entries as text.
struct Listing {
    std::string option;
    std::string_view what;  ///< Its entries, in the plural.
    std::size_t count = 0;
    std::vector<std::string> entries;  ///< Not more than asked for.
};

template <typename Entry>
Listing List(std::string_view option, std::string_view what, const std::vector<Entry>& entries,
             std::size_t most) {
    Listing listing{std::string(option), what, entries.size(), {}};
    for (std::size_t i = 0; i < std::min(entries.size(), most); ++i) {
        listing.entries.push_back(AsLine(entries[i]));
    }
    return listing;
}

/// A row for each file that is named.
std::vector<Listing> ListFiles(const OptionContents& from, bool all) {
    const std::size_t most = all ? std::numeric_limits<std::size_t>::max() : kFew;
    std::array<std::optional<Listing>, kFileCount> by_turn;
    ForEachFileFormat([&]<typename Format>(const Format& format) {
        const auto& contents = from.*Format::kContents;
        if (!contents) return;
        by_turn.at(format.shown) =
            List(Format::File::kOption, format.entries, EntriesOf(*contents), most);
    });
    std::vector<Listing> listings;
    for (std::optional<Listing>& listing : by_turn) {
        if (listing) listings.push_back(std::move(*listing));
    }
    return listings;
}

/// Files of steps come last: "root_guid_file of unicast-step 4".
std::vector<Listing> ListAll(const OptionContents& from, bool all) {
    std::vector<Listing> listings = ListFiles(from, all);
    if (!from.chain) return listings;
    for (const LoadedChain::Step& step : from.chain->steps) {
        if (step.row.tables == 0 || step.row.tables > from.step_files.size()) continue;
        for (Listing& listing : ListFiles(from.step_files[step.row.tables - 1U], all)) {
            listing.option += fmt::format(" of unicast-step {}", step.row.id);
            listings.push_back(std::move(listing));
        }
    }
    return listings;
}

}  // namespace

std::string ContentsAsText(const OptionContents& contents, bool all) {
    std::string out;
    for (const Listing& listing : ListAll(contents, all)) {
        out += fmt::format("# {}: {} {}\n", listing.option, listing.count, listing.what);
        for (const std::string& entry : listing.entries) {
            out += fmt::format("#     {}\n", entry);
        }
        if (listing.entries.size() == listing.count) continue;
        out += fmt::format("#     ... and {} more (--all shows them)\n",
                           listing.count - listing.entries.size());
    }
    return out;
}

nlohmann::json ContentsAsJson(const OptionContents& contents, bool all) {
    nlohmann::json out = nlohmann::json::object();
    for (const Listing& listing : ListAll(contents, all)) {
        out[listing.option] = {{"count", listing.count}, {"entries", listing.entries}};
    }
    return out;
}

}  // namespace ember::emberc
