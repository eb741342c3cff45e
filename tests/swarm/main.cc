// SPDX-License-Identifier: Apache-2.0
// EmberSM: ember_swarm: stories by seed, told and judged.
#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "tests/swarm/runner.h"
#include "tests/swarm/seeds.h"
#include "tests/swarm/site.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

constexpr std::string_view kUsage =
    "ember_swarm --seed N [--trace] [--minimise]     tell one story; N may be followed by the "
    "words\n"
    "                                                that made it smaller, as in '7 only=2,5 "
    "less=1'\n"
    "ember_swarm --from A --count C [--jobs J] [--minimise]   tell many\n"
    "  --managers  of two to five managers that replicate; as the word 'managers' behind a seed\n"
    "ember_swarm --verbs                             what may happen\n"
    "  --known  with the verbs that are known to fail\n";

struct Options {
    std::optional<Case> seed;
    std::uint64_t from = 1;
    std::uint64_t count = 0;
    std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
    bool minimise = false;
    bool verbs = false;
    bool known = false;
    bool managers = false;
    Wishes wishes;
};

template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    return error == std::errc{} && end == text.end();
}

/// A word that stands alone.
bool ReadFlag(std::string_view word, Options& options) {
    const std::array<std::pair<std::string_view, bool*>, 5> flags = {{
        {"--trace", &options.wishes.tell},
        {"--known", &options.known},
        {"--managers", &options.managers},
        {"--minimise", &options.minimise},
        {"--verbs", &options.verbs},
    }};
    for (const auto& [name, flag] : flags) {
        if (word == name) return *flag = true;
    }
    return false;
}

/// A word and what belongs to it.
bool ReadValue(std::string_view word, std::string_view value, Options& options) {
    if (word == "--seed") {
        options.seed = CaseOf(value);
        return options.seed.has_value();
    }
    if (word == "--from") return ReadNumber(value, options.from);
    if (word == "--count") return ReadNumber(value, options.count);
    return word == "--jobs" && ReadNumber(value, options.jobs) && options.jobs != 0;
}

bool Parse(std::span<char* const> words, Options& options) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (ReadFlag(words[i], options)) continue;
        if (i + 1 == words.size() || !ReadValue(words[i], words[i + 1], options)) return false;
        ++i;
    }
    return options.seed.has_value() || options.count != 0 || options.verbs;
}

void TellSmallest(const Failure& failure) {
    std::cout << "  smallest: ember_swarm --seed '" << TextOf(Minimise(failure)) << "' --trace\n"
              << std::flush;
}

int TellOne(const Options& options) {
    const Outcome outcome = Play(*options.seed, options.wishes);
    if (!outcome.failed()) {
        std::cout << "seed " << TextOf(*options.seed) << ": all is well, after "
                  << outcome.sound_us / kMs << " ms\n";
        return 0;
    }
    std::cout << "FAILED " << outcome.oracle << ": " << outcome.what
              << "\n  replay: ember_swarm --seed '" << TextOf(*options.seed) << "' --trace\n";
    return 1;
}

/// Stories of the range that are known to fail.
std::size_t CountLeftOut(const Options& options) {
    if (options.known) return 0;
    return static_cast<std::size_t>(std::count_if(
        kStoriesThatFail.begin(), kStoriesThatFail.end(), [&](const KeptStory& story) {
            const Case which = CaseOf(story.which).value_or(Case{});
            return which.managers == options.managers && which.seed >= options.from &&
                   which.seed < options.from + options.count;
        }));
}

int TellMany(const Options& options) {
    const std::vector<Failure> failures =
        PlayMany(options.from, options.count, options.jobs,
                 {.managers = options.managers, .with_known = options.known});
    std::map<std::string, std::size_t> counts;
    for (const Failure& failure : failures) {
        ++counts[failure.oracle];
        if (options.minimise) TellSmallest(failure);
    }
    for (const auto& [oracle, count] : counts) {
        std::cout << count << " x " << oracle << '\n';
    }
    const std::size_t left_out = CountLeftOut(options);
    std::cout << options.count - failures.size() - left_out << " passed, " << failures.size()
              << " failed, " << left_out << " left out\n";
    return failures.empty() ? 0 : 1;
}

void TellVerbs() {
    for (const Verb& verb : kVerbs) {
        std::cout << verb.name << (verb.known.empty() ? "" : ": left out, ") << verb.known << '\n';
    }
    const auto tell = [](std::string_view name, std::string_view known) {
        std::cout << name << (known.empty() ? "" : ": left out, ") << known << '\n';
    };
    for (const Verb& verb : kVerbsAmongManagers) {
        tell(verb.name, verb.known);
    }
    for (const Verb& verb : kVerbsOfDevices) {
        tell(verb.name, verb.known);
    }
    for (const SitePartRow& part : kSitePartRows) {
        std::cout << "site: ";
        tell(part.name, part.known);
    }
    for (const LieKind& kind : Twists()) {
        std::cout << "twist: ";
        tell(kind.name, kind.known);
    }
    for (const KeptStory& story : kStoriesThatFail) {
        std::cout << "seed " << story.which << ": left out, " << story.shown << '\n';
    }
    for (const LieKind& kind : LieKinds()) {
        std::cout << "lie: " << kind.name << (kind.known.empty() ? "" : ": left out, ")
                  << kind.known << '\n';
    }
}

int Main(std::span<char* const> words) {
    Options options;
    if (!Parse(words, options)) {
        std::cerr << kUsage;
        return 2;
    }
    if (options.verbs) TellVerbs();
    if (options.seed) {
        options.seed->with_known = options.known;
        options.seed->managers = options.seed->managers || options.managers;
    }
    if (options.seed && options.minimise) {
        const Failure failure = PlayApart(*options.seed);
        if (!failure.oracle.empty()) TellSmallest(failure);
    }
    if (options.seed) return TellOne(options);
    return options.count != 0 ? TellMany(options) : 0;
}

}  // namespace
}  // namespace ember::swarm

int main(int argc, char** argv) {
    return ember::swarm::Main({argv, static_cast<std::size_t>(argc)});
}
