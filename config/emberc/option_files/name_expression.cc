// SPDX-License-Identifier: Apache-2.0
// EmberSM: a regular expression of names, as a program of small steps.
#include "config/emberc/option_files/name_expression.h"

#include <algorithm>
#include <fmt/format.h>
#include <re2/re2.h>
#include <utility>

namespace ember::emberc {
namespace {

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

}  // namespace

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

}  // namespace ember::emberc
