// SPDX-License-Identifier: Apache-2.0
// EmberSM: examples of OpenSM's and NVIDIA's documents (tests/config/documents), and files as sites
// have them (tests/config/field), all written anew: emberc takes each, or refuses it for the reason
// that the text beside it gives.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

/// A run of emberc, and what it says.
struct Asking {
    std::string words;
    int status = 0;
    std::vector<std::string> prints;  ///< On either stream.
    std::vector<std::string> never;
};

/// A file NAME.example. Lines before the first part begin with `# `: what the example shows, then
/// what emberc does with it. Either `taken` or `refused` by `emberc check`, with a line for each
/// message, `error: WORDS` and `warning: WORDS`, and `same: FILE FILE` for files of one meaning; or
/// lines `run: WORDS`, each with `status: NUMBER`, `prints: WORDS` and `never: WORDS` behind it.
/// A part begins with `=== FILE`.
struct Example {
    struct Part {
        std::string file;
        std::string text;
    };
    std::string name;
    bool taken = false;
    bool refused = false;
    std::vector<std::string> errors;
    std::vector<std::string> warnings;
    std::vector<std::string> same;
    std::vector<Asking> runs;
    std::vector<Part> parts;
};

std::vector<std::string> WordsOf(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}

void ReadHead(const std::string& line, Example& example) {
    const std::size_t colon = line.find(": ");
    const std::string key = line.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : line.substr(colon + 2);
    if (line == "# taken") example.taken = true;
    if (line == "# refused") example.refused = true;
    if (key == "# error") example.errors.push_back(value);
    if (key == "# warning") example.warnings.push_back(value);
    if (key == "# same") example.same = WordsOf(value);
    if (key == "# run") example.runs.push_back({.words = value});
    if (example.runs.empty()) return;
    Asking& run = example.runs.back();
    if (key == "# status") run.status = std::stoi(value);
    if (key == "# prints") run.prints.push_back(value);
    if (key == "# never") run.never.push_back(value);
}

Example Read(const std::filesystem::path& path) {
    constexpr std::string_view kPart = "=== ";
    Example example{.name = path.stem().string()};
    std::istringstream text(emberc::ReadText(path));
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with(kPart)) {
            example.parts.push_back({.file = line.substr(kPart.size()), .text = {}});
        } else if (example.parts.empty()) {
            ReadHead(line, example);
        } else {
            example.parts.back().text += line + "\n";
        }
    }
    return example;
}

std::vector<Example> All() {
    std::vector<Example> examples;
    const auto tests = std::filesystem::path(EMBER_SOURCE_DIR) / "tests/config";
    for (const char* const folder : {"documents", "field"}) {
        for (const auto& entry : std::filesystem::directory_iterator(tests / folder)) {
            if (entry.path().extension() == ".example") examples.push_back(Read(entry.path()));
        }
    }
    std::sort(examples.begin(), examples.end(),
              [](const Example& left, const Example& right) { return left.name < right.name; });
    return examples;
}

/// The name of a test that failed says which file it is.
void PrintTo(const Example& example, std::ostream* out) {
    *out << example.name;
}

std::vector<std::string> LinesWith(const std::string& text, std::string_view severity) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(fmt::format(": {}: ", severity)) != std::string::npos) found.push_back(line);
    }
    return found;
}

/// Each message has a line of the head, and each line of the head has its message.
void ExpectMessages(const std::string& said, std::string_view severity,
                    const std::vector<std::string>& expected) {
    std::vector<std::string> messages = LinesWith(said, severity);
    for (const std::string& words : expected) {
        const auto found =
            std::find_if(messages.begin(), messages.end(), [&words](const std::string& message) {
                return message.find(words) != std::string::npos;
            });
        EXPECT_NE(found, messages.end()) << severity << ": " << words << "\n" << said;
        if (found != messages.end()) messages.erase(found);
    }
    EXPECT_TRUE(messages.empty()) << "nobody expected: " << messages.front();
}

/// Runs in the folder of the parts, so that no name has the place of the tree in it.
class DocumentExample : public testing::TestWithParam<Example> {
protected:
    DocumentExample() {
        for (const Example::Part& part : GetParam().parts) {
            folder_.Write(part.file, part.text);
        }
        std::filesystem::current_path(folder_.File(""));
    }
    ~DocumentExample() override { std::filesystem::current_path(before_); }

    /// The octets of the blob, which no key signs.
    static std::string Meaning(const std::string& file) {
        const Answer made = Emberc({"compile", file, "-o", "blob", "--counter", "1"});
        EXPECT_EQ(made.status, emberc::kDone) << file << ": " << made.error;
        return emberc::ReadText("blob");
    }
    static void Check(const Example& example);
    static void Try(const Asking& run);

private:
    Folder folder_;
    std::filesystem::path before_ = std::filesystem::current_path();
};

void DocumentExample::Check(const Example& example) {
    ASSERT_NE(example.taken, example.refused) << "the head says one of the two";
    ASSERT_EQ(example.refused, !example.errors.empty()) << "a refusal has its reason";
    const Answer run = Emberc({"check", example.parts.front().file});
    EXPECT_EQ(run.status, example.taken ? emberc::kDone : emberc::kInputIsWrong) << run.error;
    ExpectMessages(run.error, "error", example.errors);
    if (example.taken) ExpectMessages(run.error, "warning", example.warnings);
    for (const std::string& file : example.same) {
        EXPECT_TRUE(Meaning(file) == Meaning(example.same.front())) << file;
    }
}

void DocumentExample::Try(const Asking& run) {
    ASSERT_FALSE(run.prints.empty());
    const Answer answer = Emberc(WordsOf(run.words));
    const std::string said = answer.out + answer.error;
    EXPECT_EQ(answer.status, run.status) << run.words << "\n" << said;
    for (const std::string& words : run.prints) {
        EXPECT_NE(said.find(words), std::string::npos) << run.words << ": " << words << "\n"
                                                       << said;
    }
    for (const std::string& words : run.never) {
        EXPECT_EQ(said.find(words), std::string::npos) << run.words << ": " << words << "\n"
                                                       << said;
    }
}

TEST_P(DocumentExample, IsTakenOrRefusedAsItsTextSays) {
    const Example& example = GetParam();
    ASSERT_FALSE(example.parts.empty());
    if (example.runs.empty()) Check(example);
    for (const Asking& run : example.runs) {
        Try(run);
    }
}

INSTANTIATE_TEST_SUITE_P(Documents, DocumentExample, testing::ValuesIn(All()),
                         [](const testing::TestParamInfo<Example>& info) {
                             std::string name = info.param.name;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(DocumentExamples, AreThere) {
    const std::vector<Example> examples = All();
    const auto refused = std::count_if(examples.begin(), examples.end(),
                                       [](const Example& example) { return example.refused; });
    EXPECT_GE(examples.size(), 90U);
    EXPECT_GE(refused, 20);
}

}  // namespace
}  // namespace ember::test
