// SPDX-License-Identifier: Apache-2.0
// EmberSM: many stories, and small ones.
#include "tests/swarm/runner.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/swarm/seeds.h"
#include "tests/swarm/site.h"

namespace ember::swarm {
namespace {

/// A story that takes longer hangs, and its process dies.
constexpr unsigned kMostSeconds = 120;

/// Reads a pipe to its end.
std::string ReadAll(int from) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const ssize_t count = ::read(from, part.data(), part.size());
        if (count <= 0) return text;
        text.append(part.data(), static_cast<std::size_t>(count));
    }
}

/// Runs `work(out)` in another process. Returns the descriptor from which its words are read; -1:
/// no pipe was to be had.
template <typename Work>
int Begin(Work work, pid_t& child) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return -1;
    std::cout.flush();
    std::fflush(stdout);
    child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        work(ends[1]);
        std::cout.flush();
        ::_exit(0);
    }
    ::close(ends[1]);
    return ends[0];
}

void Say(int to, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::write(to, text.data() + done, text.size() - done);
        if (count <= 0) return;
        done += static_cast<std::size_t>(count);
    }
}

bool Died(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

std::string LineOf(const Outcome& outcome) {
    std::string line = outcome.oracle + "\t" + outcome.what;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line + "\n";
}

/// A share of the seeds: each begins with its number, so that who dies is known.
void PlayShare(int out, std::uint64_t from, std::uint64_t end, std::uint32_t jobs,
               const Case& like) {
    Case which = like;
    for (std::uint64_t seed = from; seed < end; seed += jobs) {
        which.seed = seed;
        if (!which.with_known && IsKnownToFail(which)) continue;
        ::alarm(kMostSeconds);
        Say(out, std::to_string(seed) + "\t");
        Say(out, LineOf(Play(which, {})));
    }
}

void AddFailure(std::vector<Failure>& failures, std::uint64_t seed, const std::string& oracle,
                const std::string& what) {
    Failure& failure = failures.emplace_back();
    failure.which.seed = seed;
    failure.oracle = oracle;
    failure.what = what;
}

/// Lines of PlayShare(); the seed of the last one is where it goes on.
void Collect(const std::string& text, bool died, std::vector<Failure>& failures,
             std::uint64_t& last) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        const std::size_t first = line.find('\t');
        const std::size_t second = line.find('\t', first + 1);
        last = std::stoull(line.substr(0, first));
        if (second == std::string::npos) {
            if (died) AddFailure(failures, last, "crash", "the process died");
        } else if (second != first + 1) {
            AddFailure(failures, last, line.substr(first + 1, second - first - 1),
                       line.substr(second + 1));
        }
        at = end + 1;
    }
}

Case Without(const Case& which, const std::vector<std::uint32_t>& events, std::size_t first,
             std::size_t count) {
    Case smaller = which;
    std::vector<std::uint32_t> left = events;
    const auto at = left.begin() + static_cast<std::ptrdiff_t>(first);
    left.erase(at, at + static_cast<std::ptrdiff_t>(std::min(count, left.size() - first)));
    smaller.only = left;
    return smaller;
}

}  // namespace

Failure PlayApart(const Case& which) {
    pid_t child = 0;
    const int from = Begin(
        [&](int out) {
            ::alarm(kMostSeconds);
            Say(out, LineOf(Play(which, {})));
        },
        child);
    const std::string text = ReadAll(from);
    ::close(from);
    const std::size_t tab = text.find('\t');
    if (Died(child) || tab == std::string::npos) return {which, "crash", "the process died"};
    return {which, text.substr(0, tab), text.substr(tab + 1)};
}

std::vector<Failure> PlayMany(std::uint64_t from, std::uint64_t count, std::uint32_t jobs,
                              const Case& like) {
    const std::uint64_t end = from + count;
    std::vector<Failure> failures;
    struct Share {
        std::uint64_t next;
        int pipe = -1;
        pid_t child = 0;
    };
    std::vector<Share> shares;
    for (std::uint32_t i = 0; i < jobs; ++i) {
        shares.push_back({from + i});
    }
    const auto begin = [&](Share& share) {
        share.pipe =
            Begin([&](int out) { PlayShare(out, share.next, end, jobs, like); }, share.child);
    };
    for (Share& share : shares) {
        begin(share);
    }
    for (Share& share : shares) {
        while (share.pipe >= 0) {
            const std::string text = ReadAll(share.pipe);
            ::close(share.pipe);
            share.pipe = -1;
            const bool died = Died(share.child);
            std::uint64_t last = share.next;
            Collect(text, died, failures, last);
            share.next = last + jobs;
            if (died && share.next < end) begin(share);
        }
    }
    for (Failure& failure : failures) {
        const std::uint64_t seed = failure.which.seed;
        failure.which = like;
        failure.which.seed = seed;
    }
    std::sort(failures.begin(), failures.end(), [](const Failure& one, const Failure& other) {
        return one.which.seed < other.which.seed;
    });
    for (const Failure& failure : failures) {
        std::cout << "FAILED " << failure.oracle << ": " << failure.what
                  << "\n  replay: ember_swarm --seed '" << TextOf(failure.which) << "' --trace\n";
    }
    return failures;
}

Case Minimise(const Failure& failure) {
    Case best = failure.which;
    const auto fails = [&](const Case& which) { return PlayApart(which).oracle == failure.oracle; };
    std::vector<std::uint32_t> events = Draw(best).numbers;
    const auto leave_out = [&] {
        for (std::size_t size = std::max<std::size_t>(events.size() / 2, 1); size != 0; size /= 2) {
            for (std::size_t at = 0; at < events.size();) {
                const Case smaller = Without(best, events, at, size);
                if (fails(smaller)) {
                    best = smaller;
                    events = *smaller.only;
                } else {
                    at += size;
                }
            }
        }
    };
    leave_out();
    for (std::size_t row = 0; row < kSiteParts; ++row) {
        Case smaller = best;
        smaller.without |= 1U << row;
        if (fails(smaller)) best = smaller;
    }
    for (int misses = 0; misses < 2;) {
        Case smaller = best;
        smaller.less += 1 + static_cast<std::uint32_t>(misses);
        if (Draw(smaller).shape != Draw(best).shape && fails(smaller)) {
            best = smaller;
            misses = 0;
        } else {
            ++misses;
        }
    }
    leave_out();
    return best;
}

}  // namespace ember::swarm
