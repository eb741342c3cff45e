// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of how emberc speaks: colours, its version, commands that there are not.
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "config/emberc/commands.h"
#include "config/emberc/diagnostics.h"
#include "config/netlist/tame.h"
#include "core/base/version.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

/// The standard error of emberc where that is a terminal.
class Terminal {
public:
    Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
        EXPECT_EQ(::grantpt(master_), 0);
        EXPECT_EQ(::unlockpt(master_), 0);
        slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
        EXPECT_GE(slave_, 0);
    }
    ~Terminal() {
        ::close(slave_);
        ::close(master_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    std::string ErrorsOf(const std::string& conf) {
        std::fflush(stderr);
        const int before = ::dup(STDERR_FILENO);
        ::dup2(slave_, STDERR_FILENO);
        std::vector<const char*> words = {"emberc", "check", "--no-default-files", conf.c_str()};
        EXPECT_EQ(emberc::Run(static_cast<int>(words.size()), words.data(), {}),
                  emberc::kInputIsWrong);
        std::fflush(stderr);
        ::dup2(before, STDERR_FILENO);
        ::close(before);
        std::array<char, 4096> text{};
        const ssize_t got = ::read(master_, text.data(), text.size());
        return {text.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
    }

private:
    int master_ = -1;
    int slave_ = -1;
};

class MannersTest : public testing::Test {
protected:
    void SetUp() override {
        ::setenv("TERM", "xterm", 1);
        ::unsetenv("NO_COLOR");
        conf_ = folder_.Write("bad.conf", "lmc 9\n");
    }
    Folder folder_;
    std::string conf_;
};

TEST_F(MannersTest, ColoursAreForTerminals) {
    const std::string text = Terminal().ErrorsOf(conf_);
    EXPECT_NE(text.find("\x1B[1;31merror:\x1B[0m \x1B[1mlmc is 9"), std::string::npos) << text;
    const Answer piped = Emberc({"check", conf_});
    EXPECT_EQ(piped.error.find('\x1B'), std::string::npos);
    EXPECT_EQ(piped.error, conf_ +
                               ":1:5: error: lmc is 9; it must lie in 0..7 [out-of-range]\n"
                               "    lmc 9\n        ^\n");
}

TEST_F(MannersTest, ColoursAreLeftOutWhereTheyAreNotWanted) {
    ::setenv("NO_COLOR", "1", 1);
    EXPECT_EQ(Terminal().ErrorsOf(conf_).find('\x1B'), std::string::npos);
    ::setenv("NO_COLOR", "", 1);
    EXPECT_NE(Terminal().ErrorsOf(conf_).find('\x1B'), std::string::npos) << "empty is not set";
    ::setenv("TERM", "dumb", 1);
    EXPECT_EQ(Terminal().ErrorsOf(conf_).find('\x1B'), std::string::npos);
}

TEST_F(MannersTest, ColoursChangeNoWordAndLetNoFileSteerATerminal) {
    emberc::Diagnostics report("odd\x1B[2J.conf");
    report.Add({.severity = emberc::Severity::kWarning,
                .place = {.line = 1, .column = 1, .length = 3},
                .code = emberc::Code::kUnknownKey,
                .text = "\x1B]0;title\x07",
                .source = "key\x1B[31m"});
    std::string painted = emberc::RenderText(report, emberc::Paint::kColours);
    for (const std::string_view colour : {"\x1B[0m", "\x1B[1m", "\x1B[1;32m", "\x1B[1;35m"}) {
        for (std::size_t at = 0; (at = painted.find(colour)) != std::string::npos;) {
            painted.erase(at, colour.size());
        }
    }
    EXPECT_EQ(painted.find('\x1B'), std::string::npos);
    std::string plain = emberc::RenderText(report);
    net::Tame(plain);
    EXPECT_EQ(painted, plain);
}

TEST_F(MannersTest, TheVersionIsThatOfTheProject) {
    const Answer answer = Emberc({"--version"});
    EXPECT_EQ(answer.status, emberc::kDone);
    EXPECT_EQ(answer.out, "emberc " + std::string(kEmberVersion) + "\n");
}

TEST_F(MannersTest, ACommandThatThereIsNotIsNamed) {
    const Answer nearly = Emberc({"chek", conf_});
    EXPECT_EQ(nearly.status, emberc::kUsageIsWrong);
    EXPECT_EQ(nearly.error, "emberc: there is no command 'chek'; did you mean 'check'?\n");
    EXPECT_EQ(nearly.out, "");
    const Answer unlike = Emberc({"frobnicate"});
    EXPECT_EQ(unlike.status, emberc::kUsageIsWrong);
    EXPECT_EQ(
        unlike.error.find("emberc: there is no command 'frobnicate'; there are compile, check"), 0U)
        << unlike.error;
    // A mistake of another kind is told as before.
    EXPECT_EQ(Emberc({"check"}).error.find("there is no command"), std::string::npos);
    EXPECT_EQ(Emberc({"--frobnicate"}).error.find("there is no command"), std::string::npos);
}

TEST_F(MannersTest, CodesAreListed) {
    EXPECT_EQ(Emberc({"codes"}).out, emberc::CodesAsText());
    EXPECT_EQ(Emberc({"codes", "--mdoc"}).out, emberc::CodesAsMdoc());
    EXPECT_NE(Emberc({"codes", "--json"}).out.find("\"code\": \"never-reached\""),
              std::string::npos);
}

}  // namespace
}  // namespace ember::test
