// SPDX-License-Identifier: Apache-2.0
// EmberSM: which routing engines look at which options, as the engines themselves say it.
#include "config/emberc/engine_readers.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/blob/engine_words.h"
#include "engines/catalogue.h"

namespace ember::emberc {

Kinds ReadersOf(std::string_view option, Order order) {
    const auto is_in = [option](std::span<const std::string_view> options) {
        return std::find(options.begin(), options.end(), option) != options.end();
    };
    Kinds engines = 0;
    for (const EngineEntry& entry : kEngineCatalogue) {
        const bool is_read =
            is_in(entry.options) || (order == Order::kBalanced && is_in(entry.balanced_options));
        if (is_read) engines |= SetOf({entry.kind});
    }
    return engines;
}

std::vector<std::string_view> OptionsOfEngines() {
    std::vector<std::string_view> options;
    for (const EngineEntry& entry : kEngineCatalogue) {
        for (const std::string_view option : entry.options) {
            const auto found = std::find(options.begin(), options.end(), option);
            if (found == options.end()) options.push_back(option);
        }
    }
    return options;
}

std::string WordsOf(Kinds engines) {
    std::vector<std::string_view> words;
    for (const EngineWord& word : EngineWords()) {
        const bool is_one = word.use == EngineWordUse::kEngine && (engines >> Raw(word.kind) & 1U);
        if (is_one) words.push_back(word.word);
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace ember::emberc
