// SPDX-License-Identifier: Apache-2.0
// EmberSM: a regular expression of names, as the table that a switch walks.
#include "config/emberc/option_files/name_automaton.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <re2/re2.h>
#include <utility>
#include <vector>

#include "config/emberc/numbers.h"
#include "config/emberc/option_files/name_expression_parser.h"

namespace ember::emberc {
namespace {

/// A program with a state for each step that it can be at.
struct NameProgram {
    struct Step {
        enum class Kind : std::uint8_t {
            kTake,   ///< A character of `characters`, then `next`.
            kSplit,  ///< Goes on at `next` and at `other`.
            kHold,   ///< Goes on at `next` where `boundary` holds.
            kFit,    ///< The characters read fit.
        };
        Kind kind{};
        Boundary boundary{};
        NameCharacters characters{};
        std::size_t next = 0;
        std::size_t other = 0;
    };
    std::vector<Step> steps{};
    std::size_t first = 0;
};

constexpr std::size_t kMostProgramSteps = 1024;

using Kind = NameProgram::Step::Kind;

/// Writes a program from its end on: each part knows what follows it.
class Writer {
public:
    explicit Writer(std::size_t length) : length_(length) {}

    NameProgram Write(const ExpressionNode& tree) {
        const std::size_t fit = Add({.kind = Kind::kFit});
        program_.first = Write(tree, fit);
        return std::move(program_);
    }

private:
    std::size_t Add(NameProgram::Step step) {
        if (program_.steps.size() >= kMostProgramSteps) {
            throw ExpressionError(
                fmt::format("the expression is too large: it takes more than {} steps",
                            kMostProgramSteps),
                0, length_);
        }
        program_.steps.push_back(step);
        return program_.steps.size() - 1;
    }

    std::size_t Split(std::size_t next, std::size_t other) {
        return Add({.kind = Kind::kSplit, .next = next, .other = other});
    }

    /// A program for `node` that goes on at `next`. As deep as brackets are, of which RE2 takes a
    /// thousand.
    std::size_t Write(const ExpressionNode& node, std::size_t next) {  // NOLINT(misc-no-recursion)
        switch (node.kind) {
            case ExpressionNode::Kind::kCharacters:
                return Add({.kind = Kind::kTake, .characters = node.characters, .next = next});
            case ExpressionNode::Kind::kBoundary:
                return Add({.kind = Kind::kHold, .boundary = node.boundary, .next = next});
            case ExpressionNode::Kind::kSequence:
                for (auto part = node.parts.rbegin(); part != node.parts.rend(); ++part) {
                    next = Write(*part, next);
                }
                return next;
            case ExpressionNode::Kind::kAlternative: {
                std::size_t first = Write(node.parts.back(), next);
                for (auto part = std::next(node.parts.rbegin()); part != node.parts.rend();
                     ++part) {
                    first = Split(Write(*part, next), first);
                }
                return first;
            }
            case ExpressionNode::Kind::kRepeat:
                return Repeat(node, next);
        }
        return next;
    }

    std::size_t Repeat(const ExpressionNode& node, std::size_t next) {  // NOLINT(misc-no-recursion)
        const ExpressionNode& part = node.parts.front();
        std::size_t first = next;
        if (node.most == kAnyTimes) {
            first = Split(next, next);
            const std::size_t again = Write(part, first);
            program_.steps[first].other = again;
        } else {
            for (std::size_t i = node.least; i < node.most; ++i) {
                first = Split(Write(part, first), next);
            }
        }
        for (std::size_t i = 0; i < node.least; ++i) {
            first = Write(part, first);
        }
        return first;
    }

    std::size_t length_;
    NameProgram program_;
};

/// Compiles an expression in the syntax of RE2, which also judges it. Throws as BuildPattern(), but
/// for automata.
NameProgram CompileExpression(std::string_view text) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::RE2 judge(re2::StringPiece(text.data(), text.size()), options);
    if (!judge.ok()) {
        const std::string& part = judge.error_arg();
        const std::size_t begin = part.empty() ? std::string_view::npos : text.find(part);
        const bool is_found = begin != std::string_view::npos;
        throw ExpressionError(fmt::format("it is no regular expression: {}", judge.error()),
                              is_found ? begin : 0, is_found ? part.size() : text.size());
    }
    return Writer(text.size()).Write(ParseExpression(text));
}

using Steps = std::vector<std::size_t>;  // Ascending, none twice.

/// The character before or behind a place in a name.
enum class Side : std::uint8_t { kNothing, kWord, kOther };

Side SideOf(std::size_t character) {
    return WordCharacters().test(character) ? Side::kWord : Side::kOther;
}

bool Holds(Boundary boundary, Side before, Side behind) {
    const bool is_word_boundary = (before == Side::kWord) != (behind == Side::kWord);
    switch (boundary) {
        case Boundary::kBegin:
            return before == Side::kNothing;
        case Boundary::kEnd:
            return behind == Side::kNothing;
        case Boundary::kWord:
            return is_word_boundary;
        case Boundary::kNoWord:
            return !is_word_boundary;
    }
    return false;
}

/// Makes states of sets of steps. A state is where a name can be in the program before it is known
/// what comes next, as a boundary holds by what stands at both its sides.
class Builder {
public:
    Builder(NameProgram program, std::size_t length)
        : program_(std::move(program)), length_(length), is_seen_(program_.steps.size()) {}

    LoadedPattern Build();

private:
    struct State {
        Steps steps;
        Side before = Side::kNothing;
        [[nodiscard]] bool operator<(const State& other) const {
            if (before != other.before) return before < other.before;
            return IsBefore()(steps, other.steps);
        }
    };

    void FindClasses();
    [[nodiscard]] bool Spread(const State& state, Side behind, Steps& takes);
    [[nodiscard]] std::uint16_t Follow(const State& state, std::size_t character);
    [[nodiscard]] std::uint16_t NumberOf(State state);
    [[nodiscard]] std::vector<std::uint16_t> CellsByPart(
        std::size_t at, const std::vector<std::uint16_t>& part) const;
    void Shrink();

    NameProgram program_;
    std::size_t length_;
    LoadedPattern pattern_;
    std::vector<std::size_t> characters_;  ///< A character of each class.
    std::map<State, std::size_t> numbers_;
    std::vector<State> states_;
    std::vector<bool> is_seen_;
};

/// Two characters are of one class that no step tells apart, and no boundary.
void Builder::FindClasses() {
    std::map<std::vector<bool>, std::size_t> classes;
    for (std::size_t c = 0; c < kPatternCharacters; ++c) {
        std::vector<bool> key = {WordCharacters().test(c)};
        for (const NameProgram::Step& step : program_.steps) {
            if (step.kind == Kind::kTake) key.push_back(step.characters.test(c));
        }
        const auto [at, is_new] = classes.try_emplace(std::move(key), classes.size());
        if (is_new) characters_.push_back(c);
        pattern_.class_of.at(c) = static_cast<std::uint8_t>(at->second);
    }
    pattern_.classes = static_cast<std::uint16_t>(classes.size());
}

/// Goes on from the steps of a state without a character: `takes` are those that take one. True: a
/// fit was reached.
bool Builder::Spread(const State& state, Side behind, Steps& takes) {
    std::fill(is_seen_.begin(), is_seen_.end(), false);
    Steps open = state.steps;
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (is_seen_[at]) continue;
        is_seen_[at] = true;
        const NameProgram::Step& step = program_.steps[at];
        if (step.kind == Kind::kFit) return true;
        if (step.kind == Kind::kTake) takes.push_back(at);
        if (step.kind == Kind::kSplit) {
            open.push_back(step.next);
            open.push_back(step.other);
        }
        if (step.kind == Kind::kHold && Holds(step.boundary, state.before, behind)) {
            open.push_back(step.next);
        }
    }
    return false;
}

std::uint16_t Builder::NumberOf(State state) {
    const auto [at, is_new] = numbers_.try_emplace(state, states_.size());
    if (is_new) {
        if (states_.size() >= kMostPatternStates) {
            throw ExpressionError(
                fmt::format("the expression is too large for a table: it takes more than {} states",
                            kMostPatternStates),
                0, length_);
        }
        states_.push_back(std::move(state));
    }
    return static_cast<std::uint16_t>(at->second + kPatternStates);
}

std::uint16_t Builder::Follow(const State& state, std::size_t character) {
    Steps takes;
    if (Spread(state, SideOf(character), takes)) return kPatternFits;
    State next{.steps = {}, .before = SideOf(character)};
    for (const std::size_t at : takes) {
        const NameProgram::Step& step = program_.steps[at];
        if (step.characters.test(character)) next.steps.push_back(step.next);
    }
    if (next.steps.empty()) return kPatternFails;
    std::sort(next.steps.begin(), next.steps.end());
    next.steps.erase(std::unique(next.steps.begin(), next.steps.end()), next.steps.end());
    return NumberOf(std::move(next));
}

/// The cells of state `at` when each state stands for its part.
std::vector<std::uint16_t> Builder::CellsByPart(std::size_t at,
                                                const std::vector<std::uint16_t>& part) const {
    const std::size_t width = pattern_.classes + std::size_t{1};
    const auto first = pattern_.cells.begin() + static_cast<std::ptrdiff_t>(at * width);
    std::vector<std::uint16_t> cells(first, first + static_cast<std::ptrdiff_t>(width));
    for (std::uint16_t& cell : cells) {
        if (cell < kPatternStates) continue;
        cell = static_cast<std::uint16_t>(part[cell - kPatternStates] + kPatternStates);
    }
    return cells;
}

/// Puts states together that nothing which follows tells apart: parts of states are refined until
/// they stay. The first state keeps number 0.
void Builder::Shrink() {
    std::vector<std::uint16_t> part(states_.size(), 0);
    std::map<std::vector<std::uint16_t>, std::uint16_t, IsBefore> keys;
    for (std::size_t parts = 0; keys.empty() || keys.size() != parts;) {
        parts = keys.size();
        keys.clear();
        std::vector<std::uint16_t> refined(states_.size());
        for (std::size_t at = 0; at < states_.size(); ++at) {
            std::vector<std::uint16_t> key = CellsByPart(at, part);
            key.push_back(part[at]);
            const auto number = static_cast<std::uint16_t>(keys.size());
            refined[at] = keys.try_emplace(std::move(key), number).first->second;
        }
        part = std::move(refined);
    }
    std::vector<std::uint16_t> cells;
    pattern_.states = 0;
    for (std::size_t at = 0; at < states_.size(); ++at) {
        if (part[at] != pattern_.states) continue;  // A state of this part was there already.
        const std::vector<std::uint16_t> own = CellsByPart(at, part);
        cells.insert(cells.end(), own.begin(), own.end());
        ++pattern_.states;
    }
    pattern_.cells = std::move(cells);
}

LoadedPattern Builder::Build() {
    FindClasses();
    static_cast<void>(NumberOf({.steps = {program_.first}, .before = Side::kNothing}));
    for (std::size_t at = 0; at < states_.size(); ++at) {
        const State state = states_[at];  // The vector grows meanwhile.
        for (const std::size_t character : characters_) {
            pattern_.cells.push_back(Follow(state, character));
        }
        Steps takes;
        pattern_.cells.push_back(Spread(state, Side::kNothing, takes) ? kPatternFits
                                                                      : kPatternFails);
    }
    Shrink();
    return std::move(pattern_);
}

}  // namespace

LoadedPattern BuildPattern(std::string_view text) {
    LoadedPattern pattern = Builder(CompileExpression(text), text.size()).Build();
    pattern.text = text;
    return pattern;
}

}  // namespace ember::emberc
