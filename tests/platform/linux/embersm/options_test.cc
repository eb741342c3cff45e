// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the command line of embersm may say, and what it may not.

#include "platform/linux/embersm/options.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/version.h"

namespace ember {
namespace {

using ::testing::HasSubstr;

std::string Parse(std::initializer_list<const char*> arguments, Options& options) {
    const std::vector<const char*> all(arguments);
    return ParseOptions(all, options);
}

TEST(Options, AreARealPortAndInfoWhenNothingIsSaid) {
    Options options;
    ASSERT_EQ(Parse({}, options), "");
    EXPECT_EQ(options.fabric, Options::Fabric::kUmad);
    EXPECT_EQ(options.log.minimum(), Severity::kInfo);
    EXPECT_FALSE(options.once);
}

TEST(Options, TakeValuesWithAndWithoutAnEqualsSign) {
    Options options;
    ASSERT_EQ(Parse({"--umad", "--ca", "mlx5_0", "--port=1", "--guid", "0x1234", "--log=debug",
                     "--state-dir", "/var/lib/embersm", "--once"},
                    options),
              "");
    EXPECT_EQ(options.ca, "mlx5_0");
    EXPECT_EQ(options.port, 1);
    EXPECT_EQ(options.guid, Guid{0x1234});
    EXPECT_EQ(options.log.minimum(), Severity::kDebug);
    EXPECT_EQ(options.state_dir, "/var/lib/embersm");
    EXPECT_TRUE(options.once);
}

TEST(Options, NameASimulatedFabric) {
    Options options;
    ASSERT_EQ(Parse({"--sim"}, options), "");
    EXPECT_EQ(options.simulated, "ft3:16");
    ASSERT_EQ(Parse({"--sim=torus:4x4x4", "--seed", "7"}, options), "");
    EXPECT_EQ(options.fabric, Options::Fabric::kSimulated);
    EXPECT_EQ(options.simulated, "torus:4x4x4");
    EXPECT_EQ(options.seed, 7U);
}

TEST(Options, NameAMailbox) {
    Options options;
    ASSERT_EQ(Parse({"--mailbox=uio:/dev/uio0"}, options), "");
    EXPECT_EQ(options.fabric, Options::Fabric::kMailbox);
    EXPECT_EQ(options.mailbox, Options::Mailbox::kUio);
    EXPECT_EQ(options.mailbox_path, "/dev/uio0");
    ASSERT_EQ(Parse({"--mailbox", "shm:a:b"}, options), "");
    EXPECT_EQ(options.mailbox, Options::Mailbox::kShared);
    EXPECT_EQ(options.mailbox_path, "a:b");
}

TEST(Options, NameAFlashOrAPartOfOne) {
    Options options;
    ASSERT_EQ(Parse({"--flash", "/dev/mtd3"}, options), "");
    EXPECT_EQ(options.flash.path, "/dev/mtd3");
    EXPECT_EQ(options.flash.offset, 0U);
    EXPECT_EQ(options.flash.bytes, 0U);
    EXPECT_FALSE(options.format_flash);
    ASSERT_EQ(Parse({"--flash=/dev/mmcblk0p4:0x100000:512K", "--format-flash"}, options), "");
    EXPECT_EQ(options.flash.path, "/dev/mmcblk0p4");
    EXPECT_EQ(options.flash.offset, 0x100000U);
    EXPECT_EQ(options.flash.bytes, 512U * 1024U);
    EXPECT_TRUE(options.format_flash);
    ASSERT_EQ(Parse({"--flash", "a:0:3M"}, options), "");
    EXPECT_EQ(options.flash.bytes, 3U << 20U);
    ASSERT_EQ(Parse({"--flash", "by-path/pci:00:1f.2"}, options), "");  // Colons in a name.
    EXPECT_EQ(options.flash.path, "by-path/pci:00:1f.2");
    EXPECT_EQ(options.flash.bytes, 0U);
}

TEST(Options, NameAWatchdog) {
    Options options;
    ASSERT_EQ(Parse({"--watchdog", "/dev/watchdog", "--supervise"}, options), "");
    EXPECT_EQ(options.watchdog, "/dev/watchdog");
    EXPECT_EQ(options.watchdog_s, 60U);
    ASSERT_EQ(Parse({"--watchdog-timeout", "31", "--hang-timeout", "30"}, options), "");
    EXPECT_EQ(options.watchdog_s, 31U);
}

TEST(Options, NameWhereDumpsGo) {
    Options options;
    ASSERT_EQ(Parse({"--dump-directory", "/var/lib/dumps"}, options), "");
    EXPECT_EQ(options.dump_directory, "/var/lib/dumps");
    EXPECT_NE(Parse({"--dump-directory"}, options), "");
}

struct Mistake {
    std::vector<const char*> arguments;
    std::string said;
};

class OptionMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(OptionMistakes, AreToldInASentence) {
    Options options;
    EXPECT_THAT(ParseOptions(GetParam().arguments, options), HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    All, OptionMistakes,
    ::testing::Values(Mistake{{"--umda"}, "there is no option \"--umda\""},
                      Mistake{{"fabric.net"}, "there is no option \"fabric.net\""},
                      Mistake{{"--ca"}, "--ca wants a value"},
                      Mistake{{"--port", "-1"}, "--port wants a port number, not \"-1\""},
                      Mistake{{"--port", "1x"}, "--port wants a port number, not \"1x\""},
                      Mistake{{"--guid", "0"}, "--guid wants a GUID"},
                      Mistake{{"--guid", "0xzz"}, "--guid wants a GUID"},
                      Mistake{{"--log", "loud"}, "--log wants error, warning, info or debug"},
                      Mistake{{"--log", "info,lynx=debug"}, "info,link=debug"},
                      Mistake{{"--once=yes"}, "--once takes no value"},
                      Mistake{{"--sim", "--umad"}, "exclude each other"},
                      Mistake{{"--sim", "--ca", "mlx5_0"}, "--ca and --port go with --umad"},
                      Mistake{{"--mailbox"}, "--mailbox wants a value"},
                      Mistake{{"--mailbox", "/dev/uio0"}, "wants uio:DEVICE or shm:SOCKET"},
                      Mistake{{"--mailbox", "uio:"}, "wants uio:DEVICE or shm:SOCKET"},
                      Mistake{{"--mailbox", "uio:a", "--umad"}, "excludes --sim and --umad"},
                      Mistake{{"--sim", "--mailbox", "uio:a"}, "excludes --sim and --umad"},
                      Mistake{{"--mailbox", "uio:a", "--port", "1"}, "go with --umad"},
                      Mistake{{"--flash"}, "--flash wants a value"},
                      Mistake{{"--flash", ":0:4K"}, "--flash wants a file, or FILE:OFFSET:BYTES"},
                      Mistake{{"--flash", "a:0:0"}, "--flash wants a file, or FILE:OFFSET:BYTES"},
                      Mistake{{"--format-flash"}, "--format-flash needs --flash"},
                      Mistake{{"--watchdog-timeout", "4"}, "wants 5 to 3600 seconds"},
                      Mistake{{"--watchdog-timeout", "3601"}, "wants 5 to 3600 seconds"},
                      Mistake{{"--watchdog", "a", "--supervise", "--hang-timeout", "60"},
                              "must be longer than --hang-timeout"},
                      Mistake{{"--blob", "a"}, "--blob needs --public-key"},
                      Mistake{{"--log-prefix", ""}, "--log-prefix wants"},
                      Mistake{{"--log-prefix", "rail\n2"}, "text that shows"},
                      Mistake{
                          {"--log-prefix",
                           "a prefix that is longer than the sixty-four octets that one may have"},
                          "1 to 64 octets"}));

/// The names that stand behind `mark` at the front of a line, blanks before it passed over.
std::set<std::string> NamesBehind(const std::string& mark, const std::string& text) {
    std::set<std::string> names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line.erase(0, line.find_first_not_of(' '));
        if (line.rfind(mark, 0) != 0) continue;
        const std::string word = line.substr(mark.size());
        names.insert(word.substr(0, word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-")));
    }
    return names;
}

TEST(Options, OfTheHelpAreThoseOfTheManualPage) {
    std::ifstream file(std::filesystem::path(EMBER_SOURCE_DIR) / "docs/man/embersm.8");
    const std::string page((std::istreambuf_iterator<char>(file)), {});
    const std::set<std::string> options = NamesBehind("--", OptionsHelp());
    EXPECT_EQ(options, NamesBehind(".It Fl \\-", page));
    EXPECT_GT(options.size(), 30U);
}

TEST(Options, OfTheHelpHaveLinesThatATerminalShows) {
    std::istringstream lines(OptionsHelp());
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 80U) << line;
    }
}

TEST(Version, IsThatOfTheProject) {
    std::ifstream file(std::filesystem::path(EMBER_SOURCE_DIR) / "CMakeLists.txt");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_THAT(text, HasSubstr("VERSION " + std::string(kEmberVersion) + " "));
}

}  // namespace
}  // namespace ember
